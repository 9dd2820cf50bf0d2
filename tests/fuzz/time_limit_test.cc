#include "fuzz/time_limit.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "support/catch.h"

namespace shapewise {
namespace {

constexpr TimeLimit kShort{.base = 0.1, .per_kib = 0};

void Spin(double seconds) {
  const auto cpu = [] { return static_cast<double>(clock()) / CLOCKS_PER_SEC; };
  for (const double end = cpu() + seconds; cpu() < end;) {
  }
}

/// The signal that ends a process that runs `target` under the limit; 0: it ends by itself.
int SignalOf(FuzzFunction target) {
  const pid_t child = fork();
  if (child == 0) {
    // Catch2's handlers would report the abort as a failed test.
    for (const int signal : {SIGABRT, SIGTERM}) std::signal(signal, SIG_DFL);
    std::freopen("/dev/null", "w", stderr);
    RunWithinTime(target, nullptr, 0, kShort);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_CASE("an input within its time limit passes") {
  CHECK(SignalOf([](const uint8_t*, size_t) { return 0; }) == 0);
}

TEST_CASE("an input that is slow twice aborts while it is slow") {
  CHECK(SignalOf([](const uint8_t*, size_t) {
          Spin(0.2);
          return 0;
        }) == SIGABRT);
}

TEST_CASE("an input that is slow once passes") {
  static bool was_slow = false;
  CHECK(SignalOf([](const uint8_t*, size_t) {
          if (!was_slow) Spin(0.14);
          was_slow = true;
          return 0;
        }) == 0);
}

TEST_CASE("an input that never ends aborts") {
  CHECK(SignalOf([](const uint8_t*, size_t) {
          for (;;) Spin(1);
          return 0;
        }) == SIGABRT);
}

TEST_CASE("sleeping is not counted as work") {
  CHECK(SignalOf([](const uint8_t*, size_t) {
          const timespec pause{.tv_sec = 0, .tv_nsec = 300'000'000};
          nanosleep(&pause, nullptr);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace shapewise
