// Fuzzes the whole of `lint`: readers, causes, rules and every form of the report, over one or
// several inputs. The laws: the answer does not depend on where the inputs were cut on their way,
// nor on whether a partial came in between; `--select RULE` is the full answer filtered by the
// rule; every form is well-formed and has every finding; nothing crashes, hangs or grows without
// bound.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/raw_ostream.h"
#include "pipeline/lint.h"
#include "pipeline/run_page.h"
#include "report/report.h"
#include "support/chunked_file.h"
#include "support/file_bundle.h"
#include "support/report_laws.h"
#include "unit/partial/partial_helpers.h"

namespace shapewise {
namespace {

/// Selecting a rule repeats most of the work: a few rules are enough.
constexpr size_t kMaxSelections = 3;

/// The files of a bundle, in chunks of so many bytes.
class BundleFiles final : public FileSource {
 public:
  BundleFiles(std::string_view bundle, size_t chunk_bytes)
      : files_(SplitBundle(bundle, "rank0.log")), chunk_bytes_(chunk_bytes) {}

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, text] : files_) names.push_back(name);
    return names;
  }

  Expected<std::vector<std::string>> Expand(const std::string& path) override {
    return std::vector<std::string>{path};
  }
  Error Read(const std::string& path, LineSink& sink, Stats& stats, uint32_t input,
             TextTotals& totals) override {
    return ChunkedFile(files_.at(path), chunk_bytes_).Read(path, sink, stats, input, totals);
  }
  Expected<std::unique_ptr<llvm::MemoryBuffer>> Open(const std::string&) override {
    return MakeError("not read whole");
  }

 private:
  std::map<std::string, std::string_view> files_;
  size_t chunk_bytes_;
};

/// One run of `lint`.
struct LintRun {
  Session session;
  LintResult result;
};

void ReadRun(BundleFiles files, LintOptions options, LintRun& run) {
  options.paths = files.Names();
  run.result = llvm::cantFail(Lint(options, files, run.session));
}

std::string Print(const LintFormat& format, const LintResult& result, const Session& session) {
  ReportOptions options;
  options.tool_version = "0.0";
  options.with_events = true;
  options.all = true;
  std::string text;
  llvm::raw_string_ostream out(text);
  format.write(result, session, options, out);
  out.flush();
  return text;
}

/// The result as JSON, with all events.
std::string PrintJson(const LintRun& run) {
  return Print(*FindFormat(LintFormats(), "json"), run.result, run.session);
}

void CheckReports(const LintRun& run) {
  for (const LintFormat& format : LintFormats()) {
    const std::string text = Print(format, run.result, run.session);
    if (!IsWellFormed(format.name, text)) std::abort();
    // These two show only what has a place, on a clock or in a file.
    if (format.name == "perfetto" || format.name == "gitlab") continue;
    // A comment on a pull request has a limited number of rows and says how many more there are.
    if (format.name == "markdown" && text.find("\n... and ") != std::string::npos) continue;
    for (const Finding& finding : run.result.findings) {
      if (text.find(finding.rule) == std::string::npos) std::abort();
    }
  }
  const nlohmann::json json = nlohmann::json::parse(PrintJson(run));
  if (json["findings"].size() != run.result.findings.size()) std::abort();
  if (json["events"].size() != run.session.events().size()) std::abort();
}

void CheckSelection(const LintRun& run, LintOptions options) {
  const nlohmann::json all = nlohmann::json::parse(PrintJson(run))["findings"];
  std::set<std::string> rules;
  for (const Finding& finding : run.result.findings) rules.insert(finding.rule);
  size_t num_selections = 0;
  for (const std::string& rule : rules) {
    if (++num_selections > kMaxSelections) break;
    options.select = {rule};
    const LintResult selected = llvm::cantFail(LintSession(options, run.session));
    nlohmann::json expected = nlohmann::json::array();
    for (const nlohmann::json& finding : all) {
      if (finding["rule"] == rule) expected.push_back(finding);
    }
    const std::string text = Print(*FindFormat(LintFormats(), "json"), selected, run.session);
    if (nlohmann::json::parse(text)["findings"] != expected) std::abort();
  }
}

void CheckPartial(const LintRun& run, const LintOptions& options) {
  LintRun back;
  ReadInputFromChunks("run.partial", {PartialOf(run.session)}, back.session);
  back.result = llvm::cantFail(LintSession(options, back.session));
  if (PrintJson(back) != PrintJson(run)) std::abort();
}

void CheckPage(const LintRun& run) {
  const RunPage page = MakeRunPage(run.session, run.result.findings);
  std::string text;
  llvm::raw_string_ostream out(text);
  WritePage(run.result, run.session, page, {}, out);
  out.flush();
  if (!IsWellFormed("html", text)) std::abort();
}

}  // namespace
}  // namespace shapewise

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  // The first byte says where to cut, the second what to read and which laws to look at; the rest
  // are the inputs.
  const std::string_view bundle(reinterpret_cast<const char*>(data) + 2, size - 2);
  shapewise::LintOptions options;
  options.read.jobs = 1;
  options.read.keep_phases = (data[1] & 1) != 0;
  options.read.step_prints = (data[1] & 2) != 0;
  options.read.guard_texts = (data[1] & 4) != 0;
  shapewise::LintRun run;
  shapewise::ReadRun({bundle, size}, options, run);
  shapewise::LintRun cut;
  shapewise::ReadRun({bundle, size_t{1} + data[0]}, options, cut);
  if (shapewise::PrintJson(run) != shapewise::PrintJson(cut)) std::abort();
  shapewise::CheckReports(run);
  shapewise::CheckSelection(run, options);
  if ((data[1] & 8) != 0) shapewise::CheckPartial(run, options);
  if ((data[1] & 16) != 0) shapewise::CheckPage(run);
  return 0;
}
