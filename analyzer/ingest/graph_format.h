// What every form of dump looks like from the outside.

#ifndef SHAPEWISE_INGEST_GRAPH_FORMAT_H_
#define SHAPEWISE_INGEST_GRAPH_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "shapewise/model/graph_model.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// One dump: its bytes (text is decompressed and UTF-8; archives are as they lie on disk), which
/// live as long as the call.
struct GraphInput {
  uint32_t index = 0;     ///< into GraphSet::inputs
  std::string_view name;  ///< path, for what the name of a file tells
  std::string_view bytes;
};

/// How much of a dump GraphFormat::Sniff looks at, at most.
inline constexpr size_t kGraphSniffBytes = size_t{64} << 10;

/// One form of dump: how to tell it, and its reader. Stateless.
class GraphFormat {
 public:
  virtual ~GraphFormat() = default;

  /// Name in reports: "print_graph", "print_readable", "print_tabular", "pt2", "torchscript" ...
  virtual std::string_view name() const = 0;

  /// Whether `input` looks like this form. Cheap: looks at the first 64 KiB at most, but for
  /// archives, whose directory stands at the end.
  virtual bool Sniff(const GraphInput& input) const = 0;

  /// Appends the graphs of `input` to `graphs`. Damage is counted in GraphSet::stats, and what can
  /// be read is kept. Error: the input is refused as a whole; says why.
  virtual Error Read(const GraphInput& input, GraphSet& graphs) const = 0;
};

/// All forms, the most particular first.
const std::vector<std::unique_ptr<GraphFormat>>& BuiltinGraphFormats();

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_GRAPH_FORMAT_H_
