// Lets loops end at Ctrl-C with their partial results.

#ifndef SHAPEWISE_CLI_INTERRUPT_GUARD_H_
#define SHAPEWISE_CLI_INTERRUPT_GUARD_H_

#include <array>
#include <csignal>

namespace shapewise {

/// The signals by which users and systems end a program.
inline constexpr std::array kEndingSignals = {SIGINT, SIGTERM, SIGHUP};

/// While one exists, the first SIGINT or SIGTERM is only recorded; the second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Whether a signal was recorded, by this one or an earlier one.
  bool is_interrupted() const;

 private:
  struct sigaction before_int_{};
  struct sigaction before_term_{};
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_INTERRUPT_GUARD_H_
