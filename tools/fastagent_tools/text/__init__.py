"""Reading: files to lines, stamps to times, lines to quotes. What every kind of evidence stands on."""
