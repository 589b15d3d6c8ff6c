"""What can be withheld from an agent, to see what its answers rest on."""

from enum import StrEnum

from fastagent.bundle import Bundle


class Ablation(StrEnum):
    """One thing to take away."""

    evidence = "evidence"  # tools answer and have nothing to show
    playbooks = "playbooks"
    topology = "topology"  # neither the given call graph nor one that is learnt
    traces = "traces"
    verification = "verification"  # claims stand without their quotes


_PARTS = {Ablation.topology: "topology", Ablation.traces: "traces"}


def without(bundle: Bundle, withheld: frozenset[Ablation]) -> Bundle:
    """The bundle without the files that are withheld."""
    parts = {part for ablation, part in _PARTS.items() if ablation in withheld}
    return bundle.only(lambda file: file.part not in parts) if parts else bundle
