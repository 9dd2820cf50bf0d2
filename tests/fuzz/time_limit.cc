#include "fuzz/time_limit.h"

#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace shapewise {
namespace {

/// An input that takes this multiple of its limit is not run a second time.
constexpr double kEndless = 2;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

extern "C" void AbortSlowInput(int) {
  constexpr std::string_view kMessage = "slow input: it takes more CPU time than its size allows\n";
  // Nothing can be done about a message that cannot be written.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  std::abort();
}

/// Aborts the process after so many seconds of CPU time; 0 switches that off.
void SetAlarm(double seconds) {
  itimerval timer{};
  const double whole = std::floor(seconds);
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// CPU seconds of one run; it aborts after `seconds_at_most`.
double TimeRun(FuzzFunction target, const uint8_t* data, size_t size, double seconds_at_most) {
  SetAlarm(seconds_at_most);
  const double begin = CpuSeconds();
  target(data, size);
  const double seconds = CpuSeconds() - begin;
  SetAlarm(0);
  return seconds;
}

}  // namespace

int RunWithinTime(FuzzFunction target, const uint8_t* data, size_t size, const TimeLimit& limit) {
  std::signal(SIGPROF, AbortSlowInput);
  const double allowed = limit.SecondsFor(size);
  if (TimeRun(target, data, size, kEndless * allowed) > allowed) {
    TimeRun(target, data, size, allowed);
  }
  return 0;
}

}  // namespace shapewise
