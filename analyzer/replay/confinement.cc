#include "replay/confinement.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && \
    __has_include(<linux/landlock.h>)

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shapewise::replay {
namespace {

// Landlock rights that older headers may lack. Source: linux/landlock.h.
constexpr uint64_t kRefer = 1ULL << 13;     // since version 2 of Landlock's interface
constexpr uint64_t kTruncate = 1ULL << 14;  // since version 3

/// Rights to change or execute files; reading stays allowed.
uint64_t DeniedRights(int64_t version) {
  uint64_t rights =
      LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
      LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
      LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
      LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  return rights;
}

// The C library has no wrappers for Landlock and seccomp. Source: landlock(7), seccomp(2).
bool DenyWritingFiles(bool needs_devices) {
  const int64_t version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  landlock_ruleset_attr rules = {};
  rules.handled_access_fs = DeniedRights(version);
  const auto ruleset = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules.handled_access_fs), 0));
  if (ruleset < 0) return false;
  landlock_path_beneath_attr devices = {};
  devices.allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE;
  devices.parent_fd = needs_devices ? open("/dev", O_PATH | O_CLOEXEC) : -1;
  if (devices.parent_fd >= 0) {
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &devices, 0);
    close(devices.parent_fd);
  }
  const bool is_denied = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return is_denied;
}

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

/// Denied system calls: sockets, programs, other processes, ways around this filter, and attributes
/// of files, which Landlock does not cover.
constexpr uint32_t kDeniedCalls[] = {
    SYS_socket,       SYS_socketpair,     SYS_connect,
    SYS_bind,         SYS_listen,         SYS_execve,
    SYS_execveat,     SYS_ptrace,         SYS_process_vm_writev,
    SYS_kill,         SYS_io_uring_setup, SYS_bpf,
    SYS_fchmod,       SYS_fchmodat,       SYS_fchown,
    SYS_fchownat,     SYS_setxattr,       SYS_lsetxattr,
    SYS_fsetxattr,    SYS_removexattr,    SYS_lremovexattr,
    SYS_fremovexattr, SYS_utimensat,      SYS_shmget,
    SYS_msgget,       SYS_mount,          SYS_unshare,
    SYS_setns,        SYS_keyctl,         SYS_perf_event_open,
#if defined(__x86_64__)
    SYS_fork,         SYS_vfork,          SYS_chmod,
    SYS_chown,        SYS_lchown,         SYS_utime,
    SYS_utimes,       SYS_futimesat,
#endif
};

bool DenyCalls() {
  constexpr uint32_t kFail = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter = {
      // System calls of another architecture have other numbers.
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, kFail),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#if defined(__x86_64__)
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),  // x32 system calls
      BPF_STMT(BPF_RET | BPF_K, kFail),
#endif
  };
  for (const uint32_t call : kDeniedCalls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, kFail));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<uint16_t>(filter.size()), filter.data()};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace

std::string ConfineProcess(bool needs_devices) {
  std::string missing;
  // Both require that no program gains rights by being executed.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "files, programs and sockets";
  if (!DenyWritingFiles(needs_devices)) missing = "files";
  if (!DenyCalls()) missing += missing.empty() ? "sockets" : " and sockets";
  return missing;
}

}  // namespace shapewise::replay

#else

namespace shapewise::replay {

std::string ConfineProcess(bool /*needs_devices*/) { return "files, programs and sockets"; }

}  // namespace shapewise::replay

#endif
