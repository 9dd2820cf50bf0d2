// Gathers the graphs of a log: prefixes taken off, ranks taken apart.

#ifndef SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_READER_H_
#define SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/graph_text/graph_scanner.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// One pass over a log. While no graph is under way, one search passes over all that is none.
class GraphLogReader {
 public:
  GraphLogReader(GraphSet& graphs, uint32_t input)
      : graphs_(graphs), input_(input), scanner_(graphs) {}

  void Read(std::string_view text);

 private:
  /// Lines with one prefix: those of one record, or those without a prefix of one process.
  struct Stream {
    std::string head;  ///< what stands before each line of a record; empty: lines without prefix
    uint64_t key = 0;
    StrId compile_id{};
    std::string text;
    std::vector<uint64_t> numbers;
    uint64_t last_line = 0;
    uint64_t num_foreign = 0;  ///< lines in a row, without prefix, that are no part of a graph
    bool is_open = true;
  };

  void ReadLine(std::string_view line, uint64_t number, bool has_hit, bool is_whole);
  void Add(Stream& stream, std::string_view body, uint64_t number, bool is_whole);
  Stream* StreamFor(uint64_t key, uint64_t number, bool may_open);
  void Close(Stream& stream);
  void CloseIdle(uint64_t idle_since);
  /// Reads the records that are closed, as long as none that began before them is open.
  void ScanClosed();

  GraphSet& graphs_;
  const uint32_t input_;
  GraphScanner scanner_;
  std::map<uint64_t, std::unique_ptr<Stream>> streams_;  ///< by the number of their first line
  std::map<uint64_t, Stream*> open_;                     ///< by key
  Stream* last_ = nullptr;                               ///< that a line was added to last
  uint64_t next_idle_check_ = 0;
  std::string unescaped_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_READER_H_
