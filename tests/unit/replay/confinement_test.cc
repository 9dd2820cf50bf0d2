// What the kernel denies to a process that runs untrusted graphs.

#include "replay/confinement.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/catch.h"

namespace shapewise::replay {
namespace {

/// The first thing that a confined process should not be able to do, but can; 0: nothing.
int FindEscape(const std::string& folder, int open_file) {
  if (!ConfineProcess(/*needs_devices=*/false).empty()) return 77;
  const std::string present = folder + "/present";
  const std::string absent = folder + "/absent";
  if (open(absent.c_str(), O_WRONLY | O_CREAT, 0600) >= 0) return 1;
  if (open(present.c_str(), O_RDWR) >= 0) return 2;
  if (truncate(present.c_str(), 0) == 0) return 3;
  if (unlink(present.c_str()) == 0) return 4;
  if (rename(present.c_str(), absent.c_str()) == 0) return 5;
  if (mkdir(absent.c_str(), 0700) == 0) return 6;
  if (symlink(present.c_str(), absent.c_str()) == 0) return 7;
  if (chmod(present.c_str(), 0777) == 0) return 8;
  for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK}) {
    if (socket(family, SOCK_STREAM, 0) >= 0 || socket(family, SOCK_DGRAM, 0) >= 0) return 9;
  }
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) return 10;
  char program[] = "/bin/true";
  char* arguments[] = {program, nullptr};
  execv(program, arguments);
  if (kill(getppid(), 0) == 0) return 11;
  // It still has to read, write to what is open, compute in threads.
  if (open(present.c_str(), O_RDONLY) < 0) return 12;
  if (write(open_file, "x", 1) != 1) return 13;
  int from_thread = 0;
  std::thread([&] {
    if (open(absent.c_str(), O_WRONLY | O_CREAT, 0600) >= 0) from_thread = 14;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) from_thread = 15;
  }).join();
  return from_thread;
}

TEST_CASE("a confined process writes no files, opens no sockets and starts no programs",
          "[replay]") {
  char folder[] = "/tmp/shapewise-confinement-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string present = std::string(folder) + "/present";
  const int file = open(present.c_str(), O_WRONLY | O_CREAT, 0600);
  REQUIRE(file >= 0);
  const pid_t child = fork();
  if (child == 0) _exit(FindEscape(folder, file));
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  const int escape = WEXITSTATUS(status);
  struct stat found = {};
  CHECK(stat(present.c_str(), &found) == 0);
  close(file);
  unlink(present.c_str());
  CHECK(rmdir(folder) == 0);
  if (escape == 77) {
    WARN("this system confines no processes");
    return;
  }
  CHECK(escape == 0);
  CHECK(found.st_size == 1);
}

}  // namespace
}  // namespace shapewise::replay
