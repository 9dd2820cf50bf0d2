// Messages of vLLM and SGLang among those of torch: the start of a server, and its batches.

#ifndef SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_LOG_READER_H_
#define SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_LOG_READER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "model/session.h"

namespace shapewise {

/// The literals used to find messages; each has at least six bytes.
std::vector<std::string_view> ServerLiterals();

/// Those of lines that may be the front of a wrapped message.
std::vector<std::string_view> ServerPrefixes();

/// A message found in a line.
struct ServerMessage;

/// The number of sizes in a list, and the largest of them.
struct CapturedSizes {
  std::optional<int64_t> count;
  std::optional<int64_t> largest;
};

/// Adds the messages of a server in one input to the session. The reader of text logs passes it the
/// lines that no torch record contains.
class ServerLogReader {
 public:
  ServerLogReader(Session& session, uint32_t input) : session_(session), input_(input) {}

  /// Whether `line`, without newline and escape sequences, contains a message of a server, or the
  /// end of one that a terminal wrapped.
  bool Read(std::string_view line, uint64_t number);

  /// Whether the last line read may go on with the next one.
  bool awaits_tail() const { return !fronts_.empty(); }

  /// Reads only the progress bars of `line`, each of which may overwrite the previous one.
  void ReadProgress(std::string_view line, uint64_t number);

 private:
  /// The same for the messages from the front of `line` on.
  bool ReadMessages(std::string_view line, uint64_t number);
  /// The same for a message that begins in the lines before, or whose prefix does.
  bool ReadTail(std::string_view line, uint64_t number);
  void Add(const ServerMessage& message, uint64_t number);
  void AddConfiguration(const ServerLine& start, std::string_view config);
  /// A line for each number of "load_weight=4.08, cuda_graph={decode=42.70, prefill=0.00}".
  void AddTimings(ServerLine line, std::string_view timings);
  void AddSizes(ServerLine line, const CapturedSizes& sizes);
  void AddProgress(ServerLine line, const ServerMessage& message);
  bool IsNewMaximum(const ServerLine& line);
  void Keep(const ServerLine& line);

  Session& session_;
  const uint32_t input_;
  uint64_t num_kept_ = 0;
  std::vector<std::string> fronts_;  ///< lines that may go on, joined with and without blanks
  uint64_t front_line_ = 0;          ///< where they begin
  uint64_t last_line_ = 0;           ///< where they end
  std::string plain_;                ///< a line without the asterisks of bold text
  std::map<std::pair<ServerLineKind, StrId>, int64_t> maxima_;  ///< by kind and worker
  std::set<std::tuple<StrId, StrId, int64_t>> bars_;  ///< worker, mode and size of progress bars
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_SERVER_LOG_SERVER_LOG_READER_H_
