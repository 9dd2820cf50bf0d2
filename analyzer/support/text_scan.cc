#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kLanes = 16;
constexpr size_t kMaxRounds = 255;  // rounds before a one-byte counter overflows
using Lanes = uint8_t __attribute__((vector_size(kLanes)));

}  // namespace

// Every byte of a log is counted when it is read, so this must be very cheap: 16 bytes are compared
// at once, and the matches, -1 each, are summed in 16 one-byte counters until these could overflow.
uint64_t CountNewlines(std::string_view text) {
  uint64_t count = 0;
  while (text.size() >= kLanes) {
    const size_t rounds = std::min(text.size() / kLanes, kMaxRounds);
    Lanes counters{};
    for (size_t round = 0; round < rounds; ++round) {
      Lanes bytes;
      std::memcpy(&bytes, text.data() + round * kLanes, sizeof(bytes));
      counters -= static_cast<Lanes>(bytes == '\n');
    }
    for (size_t lane = 0; lane < kLanes; ++lane) count += counters[lane];
    text.remove_prefix(rounds * kLanes);
  }
  return count + static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace shapewise
