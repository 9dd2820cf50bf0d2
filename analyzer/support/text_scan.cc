#include "support/text_scan.h"

#include "support/byte_lanes.h"

namespace shapewise {
namespace {

constexpr size_t kMaxRounds = 255;  // rounds before a one-byte counter overflows

// A longer needle could come from an input and be made of one letter, like the text: comparing it
// at every position would take quadratic time.
constexpr size_t kMaxNeedle = 128;

// The first offset from `at` on where `matches` is set and `needle` begins. Not inlined, so that
// the loop around it keeps its values in registers.
[[gnu::noinline]] size_t FirstOf(Lanes matches, std::string_view text, std::string_view needle,
                                 size_t at) {
  for (size_t lane = WordsOf(matches)[0] == 0 ? kLanes / 2 : 0; lane < kLanes; ++lane) {
    if (matches[lane] != 0 && text.substr(at + lane).starts_with(needle)) return at + lane;
  }
  return kNotFound;
}

// Every byte as `c`.
Lanes Repeated(char c) { return Lanes{} + static_cast<uint8_t>(c); }

}  // namespace

// Every byte of a log is counted when it is read, so this must be very cheap: 16 bytes are compared
// at once, and the matches, -1 each, are summed in 16 one-byte counters until these could overflow.
uint64_t CountNewlines(std::string_view text) {
  uint64_t count = 0;
  while (text.size() >= kLanes) {
    const size_t rounds = std::min(text.size() / kLanes, kMaxRounds);
    Lanes counters{};
    for (size_t round = 0; round < rounds; ++round) {
      counters -= static_cast<Lanes>(LoadLanes(text.data() + round * kLanes) == '\n');
    }
    for (size_t lane = 0; lane < kLanes; ++lane) count += counters[lane];
    text.remove_prefix(rounds * kLanes);
  }
  return count + static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// The first and the last byte of the needle are compared at 16 offsets at once, the bytes between
// them only where both match (W. Mula, "SIMD-friendly algorithms for substring searching", 2016).
size_t FindText(std::string_view text, std::string_view needle, size_t from) {
  if (from > text.size() || needle.size() > text.size() - from) return kNotFound;
  if (needle.size() < 2) return needle.empty() ? from : text.find(needle[0], from);
  if (needle.size() > kMaxNeedle) {
    const void* at = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
    if (at == nullptr) return kNotFound;
    return static_cast<size_t>(static_cast<const char*>(at) - text.data());
  }
  const size_t last = needle.size() - 1;
  const size_t end = text.size() - last;  // of the offsets where it may begin
  if (end - from < kLanes) {
    for (size_t at = text.find(needle[0], from); at < end; at = text.find(needle[0], at + 1)) {
      if (text.substr(at).starts_with(needle)) return at;
    }
    return kNotFound;
  }
  const Lanes first_byte = Repeated(needle[0]);
  const Lanes last_byte = Repeated(needle[last]);
  const auto matches_at = [&](size_t at) {
    const char* const bytes = text.data() + at;
    return static_cast<Lanes>((LoadLanes(bytes) == first_byte) &
                              (LoadLanes(bytes + last) == last_byte));
  };
  size_t at = from;
  for (; end - at >= 2 * kLanes; at += 2 * kLanes) {
    const Lanes front = matches_at(at);
    const Lanes back = matches_at(at + kLanes);
    if (!IsAnySet(front | back)) continue;
    size_t found = FirstOf(front, text, needle, at);
    if (found == kNotFound) found = FirstOf(back, text, needle, at + kLanes);
    if (found != kNotFound) return found;
  }
  for (; at < end; at += kLanes) {
    // The last block is moved back to end with the text; seeing offsets twice is harmless.
    at = std::min(at, end - kLanes);
    const Lanes matches = matches_at(at);
    if (!IsAnySet(matches)) continue;
    if (const size_t found = FirstOf(matches, text, needle, at); found != kNotFound) return found;
  }
  return kNotFound;
}

}  // namespace shapewise
