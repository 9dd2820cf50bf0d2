#include "shapewise/document.h"

#include <algorithm>
#include <utility>

#include "api/document_content.h"

namespace shapewise::api {
namespace {

shapewise::Severity InternalSeverity(Severity severity) {
  return static_cast<shapewise::Severity>(severity);
}
static_assert(static_cast<int>(Severity::kNote) == static_cast<int>(shapewise::Severity::kNote));
static_assert(static_cast<int>(Severity::kError) == static_cast<int>(shapewise::Severity::kError));

}  // namespace

std::string_view SeverityName(Severity severity) {
  return shapewise::SeverityName(InternalSeverity(severity));
}

Document::Document(std::unique_ptr<const Content> content) : content_(std::move(content)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::string_view Document::command() const { return content_->command; }

const std::vector<Diagnostic>& Document::diagnostics() const { return content_->diagnostics; }

const std::vector<Action>& Document::actions() const { return content_->actions; }

const BucketPlan* Document::plan() const { return content_->plan ? &*content_->plan : nullptr; }

const std::vector<Message>& Document::messages() const { return content_->messages; }

Status Document::status(Severity fail_on) const {
  if (!content_->is_complete || content_->formats.empty()) return Status::kTrouble;
  const bool fails = content_->worst && *content_->worst >= InternalSeverity(fail_on);
  return fails ? Status::kFindings : Status::kClean;
}

const std::vector<std::string>& Document::formats() const { return content_->formats; }

std::optional<std::string> Document::Render(std::string_view format,
                                            const RenderOptions& options) const {
  if (std::ranges::find(content_->formats, format) == content_->formats.end()) return std::nullopt;
  ReportOptions report;
  report.tool_version = SHAPEWISE_VERSION;
  report.with_events = options.events;
  report.all = options.all;
  report.color = options.color;
  report.width = options.width;
  report.ascii = options.ascii;
  std::string text;
  llvm::raw_string_ostream out(text);
  content_->write(format, report, out);
  out.flush();
  return text;
}

}  // namespace shapewise::api
