"""The evidence engine: a small deterministic reasoner that plays the model.

It reads only the request it was sent: messages, tools, the playbooks in the prompt, the findings in tool results. It
plans, picks the checks that separate hypotheses, weighs findings, says "nothing is wrong" where that is what the
evidence shows and "unknown" where the evidence is thin. `docs/reasoner.md` follows one incident through it.
"""

from wafer_backend.engines.evidence.engine import Evidence

__all__ = ["Evidence"]
