"""An OpenAI-compatible back end that emulates wafers and GPUs: honest times, deterministic words."""
