"""The command line: options in, exit statuses out. What a command needs is imported inside it, so that --help is quick.

Exit status: 0 an answer was given, 1 failed, 2 usage, 3 partial under --strict, 130 on Ctrl-C.
"""
