#include "report/baseline_writer.h"

#include <algorithm>
#include <tuple>

#include "report/json_stream.h"
#include "report/result_json.h"

namespace shapewise {

void WriteBaseline(std::vector<Finding> findings, llvm::raw_ostream& out) {
  std::ranges::sort(findings, {}, [](const Finding& finding) {
    const Identity& identity = finding.identity;
    return std::tie(identity.file, identity.function, identity, finding.rule, finding.severity,
                    finding.count, finding.runs_eager);
  });
  JsonStream object(out);
  object.Member("schema", "shapewise.baseline/1");
  object.List("findings", findings, KnownCauseJson);
  object.End();
}

}  // namespace shapewise
