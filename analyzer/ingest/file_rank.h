// The rank that a file's name or a label of a launcher states.

#ifndef SHAPEWISE_INGEST_FILE_RANK_H_
#define SHAPEWISE_INGEST_FILE_RANK_H_

#include <cstdint>
#include <string_view>

#include "model/event.h"
#include "support/text_scan.h"

namespace shapewise {

/// The number after "rank", "rank_", "rank-" or "rank=" in `text`; kNoRank if not found.
inline int32_t RankIn(std::string_view text) {
  for (size_t at = FindText(text, "rank"); at != kNotFound; at = FindText(text, "rank", at + 4)) {
    std::string_view rest = text.substr(at + 4);
    if (!rest.empty() && std::string_view("_-=").find(rest[0]) != kNotFound) rest.remove_prefix(1);
    if (const auto rank = ConsumeUint<int32_t>(rest)) return *rank;
  }
  return kNoRank;
}

/// The same for the name of the file at `path`, ignoring its folders.
inline int32_t RankInFileName(std::string_view path) {
  return RankIn(path.substr(path.find_last_of("/\\") + 1));
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FILE_RANK_H_
