#include "cli/interrupt_guard.h"

namespace shapewise {
namespace {

volatile std::sig_atomic_t noted_interrupt = 0;

void NoteInterrupt(int) { noted_interrupt = 1; }

}  // namespace

InterruptGuard::InterruptGuard() {
  struct sigaction action{};
  action.sa_handler = NoteInterrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, &before_int_);
  ::sigaction(SIGTERM, &action, &before_term_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &before_int_, nullptr);
  ::sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptGuard::is_interrupted() const { return noted_interrupt != 0; }

}  // namespace shapewise
