// Functions of newer C libraries that the static libstdc++ of Debian 12 calls. build_wheel.sh links them into
// programs that run with glibc 2.31.

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// Since glibc 2.32; true allows cheaper reference counts. False is always correct.
char __libc_single_threaded = 0;

// Since glibc 2.36; std::random_device calls it.
uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}
