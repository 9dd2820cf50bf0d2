// The interface of all formats of graph dumps.

#ifndef SHAPEWISE_INGEST_GRAPH_FORMAT_H_
#define SHAPEWISE_INGEST_GRAPH_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/graph_model.h"
#include "support/error.h"

namespace shapewise {

/// One dump: its bytes (text is decompressed and UTF-8; archives are as on disk), valid during the
/// call.
struct GraphInput {
  uint32_t index = 0;     ///< into GraphSet::inputs
  std::string_view name;  ///< path, because file names carry information
  std::string_view bytes;
};

/// Maximum number of bytes that GraphFormat::sniff reads.
inline constexpr size_t kGraphSniffBytes = size_t{64} << 10;

/// One format of dumps: how to recognise it, and its reader. GraphModel::format names it in
/// reports.
struct GraphFormat {
  /// Whether `input` looks like this format. Cheap: reads at most the first 64 KiB, except for
  /// archives, whose directory is at the end.
  bool (*sniff)(const GraphInput& input);
  /// Appends the graphs of `input` to `graphs`. Damage is counted in GraphSet::stats, and
  /// everything readable is kept. Error: why the input is rejected as a whole.
  Error (*read)(const GraphInput& input, GraphSet& graphs);
};

extern const GraphFormat kPt2Format;              // archives of torch.export.save since 2.1
extern const GraphFormat kTorchScriptFormat;      // archives with code/
extern const GraphFormat kOtherArchiveFormat;     // rejects all other archives and pickles
extern const GraphFormat kTorchScriptIrFormat;    // print(m.graph), TORCH_JIT_LOG_LEVEL
extern const GraphFormat kTorchScriptCodeFormat;  // print(m.code)
extern const GraphFormat kGraphTraceFormat;       // TORCH_TRACE files
extern const GraphFormat kFxTextFormat;           // printed FX graphs
extern const GraphFormat kGraphLogFormat;         // any text with printed graphs

/// All formats, the most specific first.
std::span<const GraphFormat* const> BuiltinGraphFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_FORMAT_H_
