"""The graph: plan, act, observe, verify, conclude. One node a file; every node asks the model."""
