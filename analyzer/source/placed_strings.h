// A pool of strings that are asked for by the same places again and again.

#ifndef SHAPEWISE_SOURCE_PLACED_STRINGS_H_
#define SHAPEWISE_SOURCE_PLACED_STRINGS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "support/string_pool.h"

namespace shapewise {

/// Numbers texts that live, unchanged, as long as this.
class PlacedStrings {
 public:
  explicit PlacedStrings(StringPool& pool) : pool_(pool) {}

  StrId Intern(std::string_view text) {
    // Most pools are never asked.
    if (recent_.empty()) recent_.resize(kNumRecent);
    Recent& recent = recent_[reinterpret_cast<uintptr_t>(text.data()) % kNumRecent];
    if (recent.text.data() != text.data() || recent.text.size() != text.size()) {
      recent = {text, pool_.Intern(text)};
    }
    return recent.id;
  }

 private:
  struct Recent {
    std::string_view text;
    StrId id = StrId::kNone;
  };

  static constexpr size_t kNumRecent = 4093;
  StringPool& pool_;
  std::vector<Recent> recent_;  ///< by the address of the text
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_PLACED_STRINGS_H_
