#include "advise/source_patch.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "advise/python_lines.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kContext = 3;

/// Edits of one file: inserted and replaced lines, by index.
struct FileEdits {
  std::string path;
  std::vector<std::string> lines;
  std::map<size_t, std::vector<std::string>> inserted;
  std::map<size_t, std::string> replaced;
};

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

/// Writes edits of lines as a unified diff. Every edit is a hunk of its own or part of one.
class PatchWriter {
 public:
  explicit PatchWriter(const FileEdits& edits) : edits_(edits) {}

  std::string Write() {
    std::vector<size_t> places;
    for (const auto& [line, text] : edits_.inserted) places.push_back(line);
    for (const auto& [line, text] : edits_.replaced) places.push_back(line);
    std::ranges::sort(places);
    diff_ = "--- a/" + edits_.path + "\n+++ b/" + edits_.path + "\n";
    for (size_t i = 0; i < places.size();) {
      const size_t begin = places[i] - std::min(places[i], kContext);
      size_t end = places[i] + 1;
      while (i < places.size() && places[i] <= end + 2 * kContext) end = places[i++] + 1;
      WriteHunk(begin, std::min(edits_.lines.size(), end + kContext));
    }
    return std::move(diff_);
  }

 private:
  void WriteHunk(size_t begin, size_t end) {
    std::string body;
    size_t added = 0;
    for (size_t line = begin; line <= end; ++line) {
      // Lines inserted after the last line of a hunk belong to it only at the end of the file.
      if (line == end && end < edits_.lines.size()) break;
      if (const auto at = edits_.inserted.find(line); at != edits_.inserted.end()) {
        for (const std::string& text : at->second) body += "+" + text + "\n";
        added += at->second.size();
      }
      if (line == end) break;
      if (const auto at = edits_.replaced.find(line); at != edits_.replaced.end()) {
        body += "-" + edits_.lines[line] + "\n+" + at->second + "\n";
      } else {
        body += " " + edits_.lines[line] + "\n";
      }
    }
    const size_t length = end - begin;
    const auto range = [](size_t first, size_t count) {
      return std::to_string(count == 0 ? first : first + 1) + "," + std::to_string(count);
    };
    diff_ += "@@ -" + range(begin, length) + " +" + range(begin + shift_, length + added) +
             " @@\n" + body;
    shift_ += added;
  }

  const FileEdits& edits_;
  std::string diff_;
  size_t shift_ = 0;  // lines added by the previous hunks
};

class Patcher {
 public:
  explicit Patcher(const ReadSource& read) : read_(read) {}

  void Add(const RankedAction& ranked) {
    const std::string why = Try(ranked);
    if (why.empty()) return;
    skipped_.push_back(ranked.action.kind + ": " + ranked.action.text +
                       " Not in the patch: " + why);
  }

  SourcePatch Take() {
    SourcePatch patch;
    patch.skipped = std::move(skipped_);
    for (auto& [file, edits] : files_) {
      if (!edits.inserted.empty() || !edits.replaced.empty()) {
        patch.diff += PatchWriter(edits).Write();
      }
    }
    return patch;
  }

 private:
  /// Applies the action; otherwise returns why not.
  std::string Try(const RankedAction& ranked) {
    if (ranked.at == PasteAt::kByHand) return "a person has to work it out.";
    const Place place = PlaceOf(ranked);
    if (place.file.empty()) return "the log does not say which file it belongs to.";
    FileEdits* edits = Open(place.file);
    if (edits == nullptr) return "cannot read " + place.file + " (--source-root DIR?).";
    const PythonLines lines(edits->lines);
    const bool is_process_wide =
        ranked.at == PasteAt::kConfig || ranked.at == PasteAt::kEnvironment;
    // For a break, the log names a line within the function.
    const bool is_same_file =
        lines.FindFunction(place).has_value() || (is_process_wide && lines.IsWithin(place));
    if (!is_same_file) {
      return place.file + " has no function " + place.function + " at line " +
             std::to_string(place.line) + ": it was changed since, or is another file.";
    }
    switch (ranked.at) {
      case PasteAt::kConfig:
      case PasteAt::kEnvironment:
        return AddConfig(ranked, lines, *edits);
      case PasteAt::kCompileCall:
        return SetArgument(ranked, place, lines, *edits);
      case PasteAt::kBeforeCall:
        return AddBeforeCalls(ranked, place, lines, *edits);
      default: {
        const size_t line = place.line - 1;
        const size_t indent = Indent(edits->lines[line]);
        edits->inserted[line].push_back(edits->lines[line].substr(0, indent) + ranked.action.code);
        return {};
      }
    }
  }

  /// The function whose file to change; for settings of the process, any affected function.
  static Place PlaceOf(const RankedAction& ranked) {
    const Place& target = ranked.action.target;
    if (!target.file.empty() && target.line != 0) return target;
    if (!ranked.saving) return {};
    for (const FunctionCompiles& function : ranked.saving->functions) {
      const Place& where = function.where;
      if (!where.file.empty() && !HasText(where.function, "torch_dynamo_resume")) return where;
    }
    return {};
  }

  FileEdits* Open(const std::string& file) {
    const auto [at, is_new] = files_.try_emplace(file);
    FileEdits& edits = at->second;
    if (is_new) {
      if (const auto source = read_(file)) {
        edits.path = source->name;
        edits.lines = SplitLines(source->text);
      }
    }
    return edits.lines.empty() ? nullptr : &edits;
  }

  static std::string AddConfig(const RankedAction& ranked, const PythonLines& lines,
                               FileEdits& edits) {
    if (!lines.ImportsTorch()) return "the file does not import torch at its top.";
    std::vector<std::string>& inserted = edits.inserted[lines.EndOfImports()];
    for (const std::string& line : SplitLines(ranked.action.code)) {
      const std::string statement = ranked.at == PasteAt::kConfig ? line : ConfigOfVariable(line);
      if (statement.empty()) return "the environment variable has no setting of that name.";
      constexpr std::string_view kSymbolicConfig = "torch.fx.experimental._config.";
      if (statement.starts_with(kSymbolicConfig)) {
        inserted.emplace_back("import torch.fx.experimental._config");
      }
      if (std::ranges::find(inserted, statement) == inserted.end()) inserted.push_back(statement);
    }
    return {};
  }

  static std::string SetArgument(const RankedAction& ranked, const Place& place,
                                 const PythonLines& lines, FileEdits& edits) {
    const std::optional<size_t> line = lines.FindCompileCall(place);
    if (!line) return "it is not clear where " + place.function + " is compiled.";
    if (edits.replaced.contains(*line)) return "another action changes that line.";
    std::optional<std::string> changed = WithArgument(edits.lines[*line], ranked.action.code);
    if (!changed) return "the arguments of its torch.compile are not as the log says.";
    edits.replaced[*line] = std::move(*changed);
    return {};
  }

  static std::string AddBeforeCalls(const RankedAction& ranked, const Place& place,
                                    const PythonLines& lines, FileEdits& edits) {
    const std::optional<std::vector<PlainCall>> calls = lines.FindCalls(place, ranked.action.code);
    if (!calls) return "it is not clear where it is called, or with which tensors.";
    for (const PlainCall& call : *calls) {
      if (!call.before.empty() && edits.replaced.contains(call.line)) {
        return "another action changes that line.";
      }
    }
    for (const PlainCall& call : *calls) {
      if (!call.changed.empty()) edits.replaced[call.line] = call.changed;
      for (const std::string& line : call.before) {
        edits.inserted[call.line].push_back(call.indent + line);
      }
      for (const std::string& line : SplitLines(ranked.action.code)) {
        edits.inserted[call.line].push_back(call.indent + WithNames(line, call.arguments));
      }
    }
    return {};
  }

  const ReadSource& read_;
  std::map<std::string, FileEdits> files_;
  std::vector<std::string> skipped_;
};

}  // namespace

SourcePatch PatchSources(const Advice& advice, const ReadSource& read) {
  Patcher patcher(read);
  for (const size_t index : advice.plan) patcher.Add(advice.actions[index]);
  return patcher.Take();
}

}  // namespace shapewise
