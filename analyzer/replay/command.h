// The commands of shapewise-replay: what each is told, and what it does. The command line is read
// in engine.cc.

#ifndef SHAPEWISE_REPLAY_COMMAND_H_
#define SHAPEWISE_REPLAY_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/session.h"
#include "replay/timing.h"

namespace shapewise::replay {

/// What every function here returns.
enum ExitStatus : int {
  kDone = 0,
  kDiffers = 1,  ///< results are not equal
  kTrouble = 2,  ///< it could not do its work, or not all of it
};

/// info: what a program is, and how far it can be replayed.
struct InfoArguments {
  SessionOptions session;
};
int TellInfo(const InfoArguments& arguments);

/// run: one run; which statements could not be run.
struct RunArguments {
  SessionOptions session;
  std::string outputs;      ///< --outputs
  std::string save_inputs;  ///< --save-inputs
};
int RunOnce(const RunArguments& arguments);

/// curve: what a call costs at each of several sizes.
struct CurveArguments {
  SessionOptions session;
  TimingOptions timing;
  std::string symbol;  ///< or several: "s0,s1"
  std::vector<int64_t> sizes;
  bool as_csv = false;
};
int MeasureCurve(const CurveArguments& arguments);

/// serve: answers what a call costs, size by size, as it is asked.
struct ServeArguments {
  SessionOptions session;
  TimingOptions timing;
};
int Serve(const ServeArguments& arguments);

/// pad: results with real and with padded inputs.
struct PadArguments {
  SessionOptions session;
  std::string symbol;              ///< or several: "s0,s1"
  int64_t size = 0;                ///< --size
  int64_t padded_size = 0;         ///< --to
  std::vector<std::string> fills;  ///< --fill INPUT=NUMBER
  double tolerance = -1;           ///< --tolerance; negative: by dtype
};
int ComparePadded(const PadArguments& arguments);

/// overhead: what the interpreter adds to an operator, on a CPU.
struct OverheadArguments {
  size_t operators = 1000;  ///< in the chain that is run
  size_t rounds = 300;
};
int MeasureOverhead(const OverheadArguments& arguments);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_COMMAND_H_
