// Gathers the graphs of a log: prefixes taken off, ranks taken apart.

#ifndef SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_READER_H_
#define SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/formats/torch_log/line_framer.h"
#include "ingest/graph_text/graph_scanner.h"
#include "shapewise/model/graph_model.h"

namespace shapewise {

/// One pass over a log. While no graph is under way, one search passes over all that is none.
class GraphLogReader final : private LineFramer {
 public:
  GraphLogReader(GraphSet& graphs, uint32_t input)
      : graphs_(graphs), input_(input), scanner_(graphs) {}

  void Read(std::string_view text);

 private:
  /// Lines with one prefix: those of one record, or those without a prefix of one process.
  struct Stream {
    uint64_t key = 0;
    StrId compile_id{};
    std::string text;
    std::vector<uint64_t> numbers;
    uint64_t last_line = 0;
    uint64_t num_foreign = 0;  ///< lines in a row, without prefix, that are no part of a graph
    bool is_open = true;
  };

  void OnPart(LinePart& part) override;
  bool IsDoubtfulPrefix(const LinePart&) const override { return false; }
  Stream* StreamFor(uint64_t key, const LinePart& part, bool may_begin);
  void Close(Stream& stream);
  void CloseIdle(uint64_t idle_since);
  /// Reads the records that are closed, as long as none that began before them is open.
  void ScanClosed();

  GraphSet& graphs_;
  const uint32_t input_;
  GraphScanner scanner_;
  bool has_hit_ = false;                                 // a graph may begin in the line under way
  bool is_whole_ = false;                                // that line has its end
  std::map<uint64_t, std::unique_ptr<Stream>> streams_;  // by the number of their first line
  std::map<uint64_t, Stream*> open_;                     // by key
  uint64_t next_idle_check_ = 0;
};

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_GRAPH_LOG_GRAPH_LOG_READER_H_
