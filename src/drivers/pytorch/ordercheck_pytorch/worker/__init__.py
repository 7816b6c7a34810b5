"""The worker: one front process that speaks the protocol, and the ranks that it forks."""
