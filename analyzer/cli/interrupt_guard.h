// Loops that end at Ctrl-C with what they have.

#ifndef SHAPEWISE_CLI_INTERRUPT_GUARD_H_
#define SHAPEWISE_CLI_INTERRUPT_GUARD_H_

#include <csignal>

namespace shapewise {

/// While one lives, the first SIGINT or SIGTERM is only noted; the second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// Whether a signal was noted, by this one or by one before it.
  bool is_interrupted() const;

 private:
  struct sigaction before_int_{};
  struct sigaction before_term_{};
};

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_INTERRUPT_GUARD_H_
