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

constexpr std::string_view kResumePrefix = "torch_dynamo_resume_in_";

/// "torch_dynamo_resume_in_step_at_12" -> "step"; empty: it resumes nothing.
std::string_view ResumedFunction(std::string_view function) {
  if (!ConsumeFront(function, kResumePrefix)) return {};
  return function.substr(0, function.rfind("_at_"));
}

/// One code object of the run.
struct Code {
  std::string frame;
  std::string function;
  size_t first = 0;  ///< its first compilation
  std::vector<const TracedCompile*> compiles;
};

class RunReader {
 public:
  RunReader(const Session& session, int32_t rank)
      : compiles_(ReadTracedCompiles(session, rank, *body_.pool)) {
    for (size_t i = 0; i < compiles_.size(); ++i) {
      const TracedCompile& compile = compiles_[i];
      // torch._dynamo.reset() begins to number anew.
      auto code = std::ranges::find_if(codes_, [&](const Code& known) {
        return known.frame == compile.frame && known.function == compile.function;
      });
      if (code == codes_.end()) {
        codes_.push_back({compile.frame, compile.function, i, {}});
        code = codes_.end() - 1;
      }
      code->compiles.push_back(&compile);
    }
  }

  BodyFacts Read(const std::string& frame) {
    const auto root =
        frame.empty() ? codes_.begin() : std::ranges::find(codes_, frame, &Code::frame);
    if (root == codes_.end()) return std::move(body_);
    Take(*root);
    for (auto code = root + 1; code != codes_.end(); ++code) {
      if (IsPart(*code)) Take(*code);
    }
    if (taken_.size() > 1) Link();
    return std::move(body_);
  }

 private:
  void Take(const Code& code) {
    taken_.push_back(&code);
    body_.frames.push_back(ReadBodyFrame(code.compiles, *body_.pool));
  }

  /// Whether `code` resumes, or is called by, what was taken so far.
  bool IsPart(const Code& code) const {
    const std::string_view resumed = ResumedFunction(code.function);
    const std::string& caller = code.compiles.front()->caller;
    return std::ranges::any_of(taken_, [&](const Code* taken) {
      return resumed.empty()
                 ? taken->function == caller
                 : resumed == taken->function || resumed == ResumedFunction(taken->function);
    });
  }

  /// Who runs after whom: a resume function after the one that it resumes, a callee in the last
  /// function that was begun.
  void Link() {
    std::vector<uint32_t> open{0};  // functions under way, as far as resumed
    for (uint32_t at = 1; at < taken_.size(); ++at) {
      const std::string_view resumed = ResumedFunction(taken_[at]->function);
      while (!resumed.empty() && open.size() > 1 && NameOf(open.back()) != resumed) {
        open.pop_back();
      }
      const uint32_t parent = open.back();
      body_.frames[parent].resumes.push_back(at);
      if (resumed.empty()) {
        open.push_back(at);
      } else {
        open.back() = at;
      }
      ReadResumeInputs(LastBefore(*taken_[parent], taken_[at]->first), body_.frames[parent],
                       taken_[at]->compiles, *body_.pool, body_.frames[at]);
    }
  }

  std::string_view NameOf(uint32_t frame) const {
    const std::string_view function = taken_[frame]->function;
    const std::string_view resumed = ResumedFunction(function);
    return resumed.empty() ? function : resumed;
  }

  /// The last compilation of `code` before the one numbered `before`: it saw the same call.
  const TracedCompile& LastBefore(const Code& code, size_t before) const {
    const TracedCompile* last = code.compiles.front();
    for (const TracedCompile* compile : code.compiles) {
      if (static_cast<size_t>(compile - compiles_.data()) < before) last = compile;
    }
    return *last;
  }

  BodyFacts body_;
  std::vector<TracedCompile> compiles_;
  std::vector<Code> codes_;
  std::vector<const Code*> taken_;
};

}  // namespace

BodyFacts BodyOfRun(const Session& session, int32_t rank, const std::string& frame) {
  return RunReader(session, rank).Read(frame);
}

}  // namespace shapewise
