// The files of a worker share its process, and an application that was started in it keeps what it writes from others. A
// test must not find a file private just because of that.
process.umask(0o022)
