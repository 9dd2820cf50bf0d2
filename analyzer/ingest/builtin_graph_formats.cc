// The list of forms of dumps, one line each; the first whose Sniff says yes reads the input.

#include "ingest/formats/fx_text/fx_text_format.h"
#include "ingest/formats/graph_log/graph_log_format.h"
#include "ingest/formats/graph_trace/graph_trace_format.h"
#include "ingest/formats/other_archive/other_archive_format.h"
#include "ingest/formats/pt2/pt2_format.h"
#include "ingest/formats/torchscript/torchscript_format.h"
#include "ingest/formats/torchscript/torchscript_ir_format.h"
#include "ingest/graph_format.h"

namespace shapewise {

const std::vector<std::unique_ptr<GraphFormat>>& BuiltinGraphFormats() {
  static const std::vector<std::unique_ptr<GraphFormat>> formats = [] {
    std::vector<std::unique_ptr<GraphFormat>> list;
    list.push_back(NewPt2Format());
    list.push_back(NewTorchScriptFormat());
    list.push_back(NewOtherArchiveFormat());
    list.push_back(NewTorchScriptIrFormat());
    list.push_back(NewTorchScriptCodeFormat());
    list.push_back(NewGraphTraceFormat());
    list.push_back(NewFxTextFormat());
    list.push_back(NewGraphLogFormat());
    return list;
  }();
  return formats;
}

}  // namespace shapewise
