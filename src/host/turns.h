// A second line of execution, in turns with its owner's: never both at once. For code that waits in the
// middle of a function while its caller does the work that ends the wait.
//
//   Turns turns([&] { ...; turns.pause(); ... });
//   turns.go_on();   // until it pauses
//   turns.go_on();   // to its end
#pragma once

#include <exception>
#include <functional>
#include <semaphore>
#include <thread>
#include <utility>

namespace duet::host {

class Turns {
 public:
  // `body` begins with the first go_on(). go_on() rethrows its exceptions.
  explicit Turns(std::function<void()> body) : body_(std::move(body)) {}
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  // Before it has begun, or after its end.
  ~Turns() {
    if (thread_.joinable()) thread_.join();
  }

  void go_on() {
    if (!thread_.joinable()) {
      thread_ = std::thread([this] {
        other_.acquire();
        try {
          body_();
        } catch (...) {
          thrown_ = std::current_exception();
        }
        ended_ = true;
        owner_.release();
      });
    }
    other_.release();
    owner_.acquire();
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }
  // After its end, or when it has thrown.
  bool ended() const { return ended_; }
  // From the body.
  void pause() {
    owner_.release();
    other_.acquire();
  }

 private:
  std::function<void()> body_;
  std::thread thread_;
  std::binary_semaphore owner_{0}, other_{0};
  std::exception_ptr thrown_;
  bool ended_ = false;
};

}  // namespace duet::host
