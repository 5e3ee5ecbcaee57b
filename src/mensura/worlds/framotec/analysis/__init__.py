"""What can be told of a task without a subject: what it costs at least, what causes what in it, how tasks differ."""
