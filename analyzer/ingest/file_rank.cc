#include "ingest/file_rank.h"

#include "shapewise/model/event.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {

int32_t RankInFileName(std::string_view path) {
  constexpr size_t kNone = std::string_view::npos;
  const size_t slash = path.find_last_of("/\\");
  const std::string_view name = slash == kNone ? path : path.substr(slash + 1);
  for (size_t at = name.find("rank"); at != kNone; at = name.find("rank", at + 4)) {
    std::string_view rest = name.substr(at + 4);
    if (!rest.empty() && (rest[0] == '_' || rest[0] == '-')) rest.remove_prefix(1);
    if (const auto rank = ConsumeUint<int32_t>(rest)) return *rank;
  }
  return kNoRank;
}

}  // namespace shapewise
