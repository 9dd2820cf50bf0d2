// The second line of defense: what the kernel denies to a process that runs untrusted graphs.

#ifndef SHAPEWISE_REPLAY_CONFINEMENT_H_
#define SHAPEWISE_REPLAY_CONFINEMENT_H_

#include <string>

namespace shapewise::replay {

/// Confines this process with all its threads: it can no longer write to files except open ones,
/// create or remove files, execute programs, open sockets, or inspect other processes.
/// `needs_devices`: devices below /dev stay writable, as GPU drivers require. Call before starting
/// other threads. Returns what the kernel cannot deny, for a warning; empty: nothing.
std::string ConfineProcess(bool needs_devices);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_CONFINEMENT_H_
