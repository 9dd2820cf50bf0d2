// The JSON of an exported program: graphs as torch.export serializes them.

#ifndef SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_PROGRAM_H_
#define SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_PROGRAM_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "shapewise/model/graph_model.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// Appends the graph in `json` and its subgraphs to `graphs`. The export schema, versions 1 to 8:
/// torch/_export/serde/schema.py. `name` is the model's, `member` where in its archive it stands.
/// Error: no JSON, or not that of an exported program.
Error ReadExportedProgram(std::string_view json, const std::string& name, const std::string& member,
                          uint32_t input, GraphSet& graphs);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_FORMATS_PT2_EXPORTED_PROGRAM_H_
