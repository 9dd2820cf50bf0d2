// The rank that the name of a file tells.

#ifndef SHAPEWISE_INGEST_FILE_RANK_H_
#define SHAPEWISE_INGEST_FILE_RANK_H_

#include <cstdint>
#include <string_view>

namespace shapewise {

/// The number behind "rank", "rank_" or "rank-" in the name of the file at `path`, not of its
/// folders; kNoRank if there is none.
int32_t RankInFileName(std::string_view path);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FILE_RANK_H_
