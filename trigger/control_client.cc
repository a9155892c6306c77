#include "trigger/control_client.h"

#include <optional>
#include <thread>

#include "trigger/recorder_connection.h"

namespace hindsight::trigger {
namespace {

constexpr std::chrono::milliseconds kPoll(20);
// For a connection, which is immediate unless the recorder has many.
constexpr std::chrono::seconds kLookTime(1);

bool SameProcessLives(const Process& process) {
  const Expected<Process> now = InspectProcess(process.pid);
  return now && now->start_ticks == process.start_ticks && !now->ended();
}

// One request on one connection. `unheard`: it broke before the recorder had read the request.
Expected<contract::Reply> AskOnce(const Process& process, const contract::Request& request,
                                  Clock::time_point deadline, bool& unheard) {
  const std::string who = "the recorder in process " + std::to_string(process.pid);
  Expected<Stream> stream = ConnectToRecorder(process, deadline);
  if (!stream) return stream.failure();
  const std::string line = contract::FormatRequest(request);
  if (Check wrong = stream->Send({reinterpret_cast<const uint8_t*>(line.data()), line.size()})) {
    unheard = wrong->code == TriggerExit::kConnectionFailed;
    return *wrong;
  }
  std::string text;
  while (text.size() <= contract::kMaxReplyBytes) {
    uint8_t buffer[4096];
    Expected<size_t> received = stream->Receive(buffer);
    if (!received) {
      // A Unix socket is reset if the other side closes it with unread data.
      unheard = received.failure().code == TriggerExit::kConnectionFailed && text.empty();
      if (received.failure().code != TriggerExit::kSendTimeout) return received.failure();
      return Failure{TriggerExit::kRecorderSilent, "No answer from " + who + " in time.",
                     "A process that is stopped, or gets no CPU time, cannot answer. Try again "
                     "with a longer --timeout."};
    }
    if (*received == 0) break;
    text.append(reinterpret_cast<const char*>(buffer), *received);
  }
  contract::Reply reply;
  if (!contract::ParseReply(text, reply)) {
    return Failure{TriggerExit::kBadAnswer,
                   text.empty() ? "The connection was closed by " + who + " without an answer."
                                : "The answer of " + who + " cannot be parsed.",
                   "Use a trigger and a recorder of the same version, and check that the process "
                   "is still running."};
  }
  if (!reply.ok) {
    return Failure{TriggerExit::kRecorderRefused, "Refused by " + who + ": " + reply.error, ""};
  }
  return reply;
}

}  // namespace

// A recorder allows a client two seconds for its request. If this process gets no CPU time for that
// long between connecting and sending, it retries on a new connection.
Expected<contract::Reply> AskRecorder(const Process& process, const contract::Request& request,
                                      Clock::time_point deadline) {
  constexpr int kTries = 5;
  std::optional<Failure> broken;
  for (int attempt = 1;; ++attempt) {
    bool unheard = false;
    Expected<contract::Reply> reply = AskOnce(process, request, deadline, unheard);
    // The recorder was there and is now gone, perhaps with its process.
    if (broken && !reply && reply.failure().code == TriggerExit::kNotRecorded) return *broken;
    if (!unheard || attempt == kTries || Clock::now() >= deadline) return reply;
    broken = reply.failure();
    std::this_thread::sleep_for(kPoll);
  }
}

bool WaitForDetach(const Process& process, Clock::time_point deadline) {
  while (true) {
    const Expected<Stream> stream = ConnectToRecorder(process, Clock::now() + kLookTime);
    const bool gone = !stream && stream.failure().code == TriggerExit::kNotRecorded;
    if (gone || !SameProcessLives(process)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace hindsight::trigger
