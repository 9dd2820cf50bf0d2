// The rank in the name of a file.

#ifndef SHAPEWISE_INGEST_FILE_RANK_H_
#define SHAPEWISE_INGEST_FILE_RANK_H_

#include <cstdint>
#include <string_view>

#include "model/event.h"
#include "support/text_scan.h"

namespace shapewise {

/// The number after "rank", "rank_" or "rank-" in the name of the file at `path`, ignoring its
/// folders; kNoRank if not found.
inline int32_t RankInFileName(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
  for (size_t at = name.find("rank"); at != kNotFound; at = name.find("rank", at + 4)) {
    std::string_view rest = name.substr(at + 4);
    if (rest.starts_with('_') || rest.starts_with('-')) rest.remove_prefix(1);
    if (const auto rank = ConsumeUint<int32_t>(rest)) return *rank;
  }
  return kNoRank;
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FILE_RANK_H_
