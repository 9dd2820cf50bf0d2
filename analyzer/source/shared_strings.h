// Interned texts that any thread may add to.

#ifndef SHAPEWISE_SOURCE_SHARED_STRINGS_H_
#define SHAPEWISE_SOURCE_SHARED_STRINGS_H_

#include <array>
#include <mutex>
#include <string_view>

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"

namespace shapewise {

class SharedStrings {
 public:
  /// The only copy of `text`; the view lives as long as this object.
  std::string_view Intern(std::string_view text) {
    const llvm::StringRef key(text.data(), text.size());
    Shard& shard = shards_[llvm::xxHash64(key) % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    // A StringSet never moves its keys.
    const llvm::StringRef kept = shard.texts.insert(key).first->getKey();
    return {kept.data(), kept.size()};
  }

 private:
  struct Shard {
    std::mutex mutex;
    llvm::StringSet<> texts;
  };

  std::array<Shard, 16> shards_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_SHARED_STRINGS_H_
