// Divides a run of calls into equal parts.

#ifndef SHAPEWISE_BUCKETS_EQUAL_PARTS_H_
#define SHAPEWISE_BUCKETS_EQUAL_PARTS_H_

#include <cstdint>

namespace shapewise {

/// Index of the first call after part `part` of `count` equal parts of `calls` calls. Does not
/// overflow if `count` squared does not.
constexpr uint64_t EndOfPart(uint64_t calls, uint64_t count, uint64_t part) {
  return (calls / count * (part + 1)) + (calls % count * (part + 1) / count);
}

}  // namespace shapewise

#endif  // SHAPEWISE_BUCKETS_EQUAL_PARTS_H_
