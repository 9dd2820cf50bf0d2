// Output formats of graphs. They compute nothing.

#ifndef SHAPEWISE_REPORT_GRAPH_WRITER_H_
#define SHAPEWISE_REPORT_GRAPH_WRITER_H_

#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "shapewise/model/graph_model.h"
#include "shapewise/report/report_writer.h"
#include "shapewise/result/graph_report.h"

namespace shapewise {

/// A format. Stateless; equal graphs give equal bytes.
class GraphWriter {
 public:
  virtual ~GraphWriter() = default;

  /// The value of --format: "text".
  virtual std::string_view name() const = 0;

  /// Prints `reports`, each on one of `graphs`. Texts from a dump are escaped for the format.
  virtual void Write(const GraphSet& graphs, const std::vector<GraphReport>& reports,
                     const ReportOptions& options, llvm::raw_ostream& out) const = 0;
};

/// All formats, the default first. They live as long as the program.
const std::vector<const GraphWriter*>& GraphWriters();

/// The format called `name`; null: none.
const GraphWriter* FindGraphWriter(std::string_view name);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_GRAPH_WRITER_H_
