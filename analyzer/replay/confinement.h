// The second line of defense: what the kernel denies to a process that runs untrusted graphs.

#ifndef SHAPEWISE_REPLAY_CONFINEMENT_H_
#define SHAPEWISE_REPLAY_CONFINEMENT_H_

#include <string>

namespace shapewise::replay {

/// From now on this process, with all its threads, cannot write to files other than those that are
/// open, create or remove files, execute programs, open sockets, or look into other processes.
/// `needs_devices`: devices below /dev stay writable, as drivers of GPUs require. Call it before
/// other threads are started. Returns what the kernel cannot deny, for a warning; empty: nothing.
std::string ConfineProcess(bool needs_devices);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_CONFINEMENT_H_
