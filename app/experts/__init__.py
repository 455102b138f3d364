"""What experts decide on questions that wait for them, whichever surface they use [M9].

What belongs here serves the command, the routes and the page alike. May be imported: everything
below ``app``.
"""
