#include "cli/commands.h"

#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/result_output.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "pipeline/graph.h"
#include "pipeline/run_inputs.h"
#include "redact/redact.h"
#include "report/report.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

/// The command line of `shapewise graph`.
struct GraphArguments : ResultArguments {
  GraphOptions graph;  ///< DUMP ..., --no-padding
};

/// Reports on stderr which inputs contain no graph. A folder may contain other files, so files
/// found in one are only named if there is no graph at all.
void ReportUnrecognised(const GraphSet& graphs, const std::vector<std::string>& paths) {
  size_t num_reported = 0;
  for (const GraphSet::Input& input : graphs.inputs) {
    const bool is_asked_for = llvm::is_contained(paths, input.name);
    if (!input.format.empty() || input.is_refused) continue;
    if (!graphs.graphs.empty() && !is_asked_for) continue;
    if (num_reported++ == kMaxUnrecognised) {
      llvm::errs() << "shapewise: and more like these\n";
      return;
    }
    const std::string name = input.name == "-" ? "standard input" : input.name;
    llvm::errs() << "shapewise: " << (graphs.graphs.empty() ? "error: " : "warning: ")
                 << MakePrintable(name);
    if (input.first_line.empty() && input.lines == 0) {
      llvm::errs() << ": empty\n";
      continue;
    }
    llvm::errs() << ": no graph in it: expected the output of print(graph) or print_readable(), an "
                    "archive, or a log of TORCH_LOGS=graph_code, but it begins with \""
                 << MakePrintable(input.first_line) << "\"\n";
  }
}

Expected<ExitStatus> RunGraph(GraphArguments& arguments) {
  if (Error error = MakeRedactor(arguments.redact)) return error;
  // Graphs of the run itself may have no symbols; those of its probes do.
  std::vector<std::string>& paths = arguments.graph.paths;
  const std::vector<std::string> probes = ProbeFoldersOf(paths);
  paths.insert(paths.begin(), probes.begin(), probes.end());
  GraphAnalysis analysis;
  AnalyzeGraphs(arguments.graph, *NewDiskFileSource(), analysis);
  if (Redactor* const redactor = arguments.redact.redactor.get()) {
    RedactGraphs(*redactor, analysis.graphs, analysis.reports);
    redactor->Redact(TextKind::kProse, analysis.unread);
  }
  ReportUnread(analysis.unread);
  if (analysis.graphs.inputs.empty() && analysis.unread.empty()) {
    return MakeError("no files found: nothing was read");
  }
  ReportUnrecognised(analysis.graphs, arguments.graph.paths);
  if (analysis.graphs.graphs.empty()) return ExitStatus::kTrouble;

  Error error = WriteFormatted(GraphFormats(), arguments, analysis.graphs, analysis.reports);
  return FinishResult(std::move(error), arguments, analysis.unread.empty(), std::nullopt);
}

void AddGraph(CommandLine& line, GraphArguments& arguments) {
  line.Add("DUMP", &arguments.graph.paths, "", "Dumps of graphs, or folders of them",
           {.is_required = true});
  line.AddFlag("--no-padding", &arguments.graph.with_padding,
               "Do not analyze the effect of padding", /*set_to=*/false);
  AddResultOptions(
      line,
      {.formats = FormatNames(GraphFormats()), .all = "text: print everything, without limits"},
      arguments);
}

}  // namespace

const Command kGraphCommand = {
    9, "graph", "Show the shapes in captured graphs, and whether padding changes results",
    Prepare<GraphArguments, AddGraph, RunGraph>};

}  // namespace shapewise
