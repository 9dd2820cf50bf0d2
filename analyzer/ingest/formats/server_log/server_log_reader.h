// Lines of inference servers among those of torch: which process wrote them, and when.

#ifndef SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_LOG_READER_H_
#define SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_LOG_READER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "ingest/formats/server_log/server_messages.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// How many sizes a list has, and the largest of them.
struct CapturedSizes {
  std::optional<int64_t> count;
  std::optional<int64_t> largest;
};

/// Adds the messages of a server in one input to the session. Used by the reader of text logs, in
/// whose pass it sees the lines that no record of torch contains.
class ServerLogReader {
 public:
  ServerLogReader(Session& session, uint32_t input) : session_(session), input_(input) {}

  /// Whether `line`, without newline and escape sequences, holds a message of a server.
  bool Read(std::string_view line, uint64_t number);

  /// Reads the progress bars of `line` alone, each of which may rewrite the one before.
  void ReadProgress(std::string_view line, uint64_t number);

 private:
  void Add(const ServerMessage& message, uint64_t number);
  void AddConfiguration(const ServerLine& start, std::string_view config);
  void AddSizes(ServerLine line, const CapturedSizes& sizes);
  void AddProgress(ServerLine line, const ServerMessage& message);
  bool IsNewMaximum(const ServerLine& line);
  void Keep(const ServerLine& line);

  Session& session_;
  const uint32_t input_;
  uint64_t num_kept_ = 0;
  std::map<std::pair<ServerLineKind, StrId>, int64_t> maxima_;  ///< by kind and worker
  std::set<std::tuple<StrId, StrId, int64_t>> bars_;  ///< worker, mode and size of progress bars
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_LOG_READER_H_
