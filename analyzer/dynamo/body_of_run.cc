// The code objects of one function, found in a run: the function itself, the resume functions
// behind its breaks, and what it calls in between that is compiled alone.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/body_frame.h"
#include "dynamo/resume_inputs.h"
#include "dynamo/traced_compile.h"
#include "shapewise/dynamo/run_function.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Ways through a body; what a function takes beyond them is not known.
constexpr size_t kMaxCompiles = 64;

constexpr std::string_view kResumeInPrefix = "torch_dynamo_resume_in_";

/// "torch_dynamo_resume_in_step_at_12" -> "step"; empty: it resumes nothing.
std::string_view ResumedFunction(std::string_view function) {
  if (!ConsumeFront(function, kResumeInPrefix)) return {};
  return function.substr(0, function.rfind("_at_"));
}

/// One code object of the run.
struct Code {
  const TracedCompile* begin = nullptr;  ///< its first compilation
  size_t first = 0;                      ///< the number of that
  std::vector<const TracedCompile*> compiles;

  const std::string& function() const { return begin->function; }

  std::string Text() const {
    return function() + (begin->line == 0 ? "" : " at line " + std::to_string(begin->line));
  }

  bool Holds(const TracedCompile& compile) const {
    return compile.frame == begin->frame && compile.function == begin->function &&
           compile.file == begin->file && compile.line == begin->line;
  }
};

class RunReader {
 public:
  RunReader(const Session& session, int32_t rank)
      : compiles_(ReadTracedCompiles(session, rank, *body_.pool)) {
    for (size_t i = 0; i < compiles_.size(); ++i) {
      const TracedCompile& compile = compiles_[i];
      // torch._dynamo.reset() begins to number anew: the number alone is no name.
      auto code =
          std::ranges::find_if(codes_, [&](const Code& known) { return known.Holds(compile); });
      if (code == codes_.end()) {
        codes_.push_back({&compile, i, {}});
        code = codes_.end() - 1;
      }
      if (code->compiles.size() < kMaxCompiles) code->compiles.push_back(&compile);
    }
  }

  BodyFacts Read(const Session& session, const std::string& frame, const Place& where) {
    const auto root = std::ranges::find_if(codes_, [&](const Code& code) {
      return (frame.empty() || code.begin->frame == frame) &&
             (where.function.empty() || code.function() == where.function) &&
             (where.line == 0 || code.begin->line == 0 || code.begin->line == where.line);
    });
    if (root == codes_.end()) return std::move(body_);
    Take(*root);
    for (auto code = root + 1; code != codes_.end(); ++code) {
      if (IsPart(*code)) Take(*code);
    }
    if (frame.empty() && where.function.empty() && taken_.size() < codes_.size()) {
      return SeveralFunctions(*root);
    }
    if (taken_.size() > 1) Link();
    ReadBreaks(session);
    return std::move(body_);
  }

 private:
  /// A body of which nothing is known, since nothing tells which of the run's functions is meant.
  BodyFacts SeveralFunctions(const Code& root) const {
    const auto other = std::ranges::find_if(
        codes_, [&](const Code& code) { return std::ranges::find(taken_, &code) == taken_.end(); });
    BodyFacts body;
    body.frames.emplace_back().unknown_because = "the trace tells of several functions (" +
                                                 root.Text() + ", " + other->Text() +
                                                 "): --function names the one that is meant";
    return body;
  }

  /// Notes which frames break for values that are known only when they run.
  void ReadBreaks(const Session& session) {
    for (const Event& event : session.events()) {
      const EventDetail& detail = session.detail(event);
      if (detail.kind != EventKind::kGraphBreak) continue;
      const std::string_view type = session.text(detail.type);
      const bool is_on_data = HasText(type, "Tensor.item()") || HasText(type, "Dynamic shape") ||
                              HasText(type, "ata dependent") || HasText(type, "ata-dependent") ||
                              HasText(type, "Dynamic slicing");
      if (!is_on_data) continue;
      const std::string_view id = session.text(event.compile_id);
      for (size_t at = 0; at < taken_.size(); ++at) {
        body_.frames[at].breaks_on_data |= id.substr(0, id.rfind('/')) == taken_[at]->begin->frame;
      }
    }
  }

  void Take(const Code& code) {
    taken_.push_back(&code);
    body_.frames.push_back(ReadBodyFrame(code.compiles, *body_.pool));
  }

  /// Whether `code` resumes something that was taken, or was called by it: then it was first
  /// compiled between a caller and what resumes that.
  bool IsPart(const Code& code) const {
    if (const std::string_view resumed = ResumedFunction(code.function()); !resumed.empty()) {
      return std::ranges::any_of(taken_,
                                 [&](const Code* taken) { return NameOf(*taken) == resumed; });
    }
    return std::ranges::any_of(codes_, [&](const Code& later) {
      const std::string_view resumed = ResumedFunction(later.function());
      return !resumed.empty() && later.first > code.first &&
             std::ranges::any_of(taken_, [&](const Code* taken) {
               return NameOf(*taken) == resumed &&
                      IndexOf(LastBefore(*taken, later.first)) < code.first;
             });
    });
  }

  /// Who runs after whom: a resume function after the one that it resumes, a callee in the last
  /// function that was begun.
  void Link() {
    std::vector<uint32_t> open{0};  // functions under way, as far as resumed
    for (uint32_t at = 1; at < taken_.size(); ++at) {
      const std::string_view resumed = ResumedFunction(taken_[at]->function());
      while (!resumed.empty() && open.size() > 1 && NameOf(*taken_[open.back()]) != resumed) {
        open.pop_back();
      }
      const uint32_t parent = open.back();
      body_.frames[parent].resumes.push_back(at);
      if (resumed.empty()) {
        open.push_back(at);
      } else {
        open.back() = at;
      }
      const size_t first = taken_[at]->first;
      std::vector<HandingOver> before{{&LastBefore(*taken_[parent], first), &body_.frames[parent]}};
      if (parent != 0) before.push_back({&LastBefore(*taken_[0], first), &body_.frames[0]});
      ReadResumeInputs(before, taken_[at]->compiles, *body_.pool, body_.frames[at]);
    }
  }

  /// The function as the user wrote it.
  static std::string_view NameOf(const Code& code) {
    const std::string_view resumed = ResumedFunction(code.function());
    return resumed.empty() ? std::string_view(code.function()) : resumed;
  }

  size_t IndexOf(const TracedCompile& compile) const {
    return static_cast<size_t>(&compile - compiles_.data());
  }

  /// The last compilation of `code` before the one numbered `before`: it saw the same call.
  const TracedCompile& LastBefore(const Code& code, size_t before) const {
    const TracedCompile* last = code.compiles.front();
    for (const TracedCompile* compile : code.compiles) {
      if (IndexOf(*compile) < before) last = compile;
    }
    return *last;
  }

  BodyFacts body_;
  std::vector<TracedCompile> compiles_;
  std::vector<Code> codes_;
  std::vector<const Code*> taken_;
};

}  // namespace

BodyFacts BodyOfRun(const Session& session, int32_t rank, const std::string& frame,
                    const Place& where) {
  return RunReader(session, rank).Read(session, frame, where);
}

}  // namespace shapewise
