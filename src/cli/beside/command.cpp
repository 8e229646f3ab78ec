#include "cli/beside/command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

#include "base/error.h"
#include "cli/beside/process_tree.h"

namespace duet::cli {

namespace {

// The messages between this process and the keeper, both ways.
struct Message {
  enum Kind : int { Started, NotStarted, Ended, AllEnded } kind;
  int value;            // of NotStarted errno, of Ended the status
  bool others = false;  // of Ended: some processes it has started live on
};
enum Order : unsigned char { EndAll = 254, LeaveAll = 255 };  // smaller: a signal for all processes

constexpr std::chrono::seconds kEndGrace(1);  // between asking a process to end and ending it
constexpr int kEndingSignals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

volatile int keeper_socket = -1;
volatile sig_atomic_t told = 0;

void send_order(unsigned char order) {
  if (send(keeper_socket, &order, 1, MSG_NOSIGNAL) < 0)
    return;  // the keeper has gone, and the command with it
}

void pass_on(int signal, siginfo_t* from, void*) {
  const int error = errno;
  told = 1;
  // The command gets the terminal's signals (Ctrl-C) as well.
  if (from->si_code != SI_KERNEL) send_order(static_cast<unsigned char>(signal));
  errno = error;
}

// ---- the keeper, a process of its own ----

class Keeper {
 public:
  explicit Keeper(int socket) : socket_(socket) {}
  [[noreturn]] void run(const std::vector<std::string>& words);

 private:
  void start(const std::vector<std::string>& words);
  void be_unseen() const;
  void tell(Message::Kind kind, int value, bool others = false) const;
  // False when no child is left.
  bool reap();
  void obey(unsigned char order);
  void end_all(bool ask_first);
  bool signal_all(int number) const;

  const int socket_;
  int children_end_ = -1;  // tells when a child has ended
  pid_t command_ = 0;      // 0: it has ended
};

// The command's side between fork and exec; answers through `report` when it cannot be started.
[[noreturn]] void become(const std::vector<std::string>& words, pid_t keeper, const sigset_t& mask,
                         int report) {
  // Should the keeper be killed, the command goes too.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(125);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(report, &error, sizeof error) < 0) _exit(125);
  _exit(125);
}

void Keeper::tell(Message::Kind kind, int value, bool others) const {
  const Message message{kind, value, others};
  if (send(socket_, &message, sizeof message, MSG_NOSIGNAL) < 0) return;  // nobody is left to be told
}

void Keeper::start(const std::vector<std::string>& words) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child_ended, mask;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, &mask);
  children_end_ = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
  int report[2];
  const pid_t keeper = getpid();
  if (children_end_ < 0 || pipe2(report, O_CLOEXEC) != 0 || (command_ = fork()) < 0) {
    tell(Message::NotStarted, errno);
    _exit(125);
  }
  if (command_ == 0) become(words, keeper, mask, report[1]);
  close(report[1]);
  be_unseen();
  int error = 0;
  const bool failed = read(report[0], &error, sizeof error) == sizeof error;
  close(report[0]);
  tell(failed ? Message::NotStarted : Message::Started, error);
  if (failed) _exit(125);
}

// Nothing of the terminal's or of a user's `killall duet` reaches it, and nobody waits for its streams to
// end.
void Keeper::be_unseen() const {
  prctl(PR_SET_NAME, "run-keeper");
  for (const int signal :
       {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2})
    ::signal(signal, SIG_IGN);
  setpgid(0, 0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
}

bool Keeper::reap() {
  signalfd_siginfo ignored;
  while (read(children_end_, &ignored, sizeof ignored) > 0) {
  }
  int status = 0, status_of_command = 0;
  bool command_ended = false;
  pid_t ended;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended != command_) continue;
    command_ended = true;
    status_of_command = status;
    command_ = 0;
  }
  if (command_ended) tell(Message::Ended, status_of_command, ended == 0);
  return ended == 0;
}

// False when no process was there to get it.
bool Keeper::signal_all(int number) const {
  bool any = command_ != 0 && kill(command_, number) == 0;  // found without /proc as well
  for (const pid_t process : descendants_of(getpid()))
    if (process != command_ && kill(process, number) == 0) any = true;
  return any;
}

// Processes made during a look are found by the next look.
void Keeper::end_all(bool ask_first) {
  const auto pause = [] {
    const timespec time{0, 5'000'000};
    nanosleep(&time, nullptr);
  };
  const auto last = std::chrono::steady_clock::now() + kEndGrace;
  if (ask_first)
    for (bool any = signal_all(SIGTERM); any && std::chrono::steady_clock::now() < last;
         any = signal_all(0)) {
      pause();
      if (!reap()) break;
    }
  while (signal_all(SIGKILL)) {
    pause();
    reap();
  }
  reap();
}

void Keeper::obey(unsigned char order) {
  if (order == LeaveAll) _exit(0);
  if (order != EndAll) {
    signal_all(order);
    return;
  }
  end_all(true);
  tell(Message::AllEnded, 0);
}

void Keeper::run(const std::vector<std::string>& words) {
  start(words);
  pollfd wanted[] = {{socket_, POLLIN, 0}, {children_end_, POLLIN, 0}};
  for (;;) {
    if (poll(wanted, 2, -1) < 0) continue;
    reap();
    if (wanted[0].revents == 0) continue;
    unsigned char order = 0;
    if (recv(socket_, &order, 1, 0) == 1) {
      obey(order);
    } else {  // the starting process has gone without a message
      end_all(false);
      _exit(125);
    }
  }
}

// ---- this process's side ----

// Nothing when the keeper has gone.
bool receive(Message& message) {
  ssize_t bytes;
  while ((bytes = recv(keeper_socket, &message, sizeof message, 0)) < 0 && errno == EINTR) {
  }
  return bytes == sizeof message;
}

}  // namespace

Command::Command(const std::vector<std::string>& words, const std::string& alive) {
  int sockets[2];
  if (mkfifo(alive.c_str(), 0644) == 0) open(alive.c_str(), O_RDWR | O_CLOEXEC);  // until this process ends
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0 || (keeper_ = fork()) < 0)
    throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (keeper_ == 0) {
    close(sockets[0]);
    Keeper(sockets[1]).run(words);
  }
  close(sockets[1]);
  keeper_socket = sockets[0];
  // This process stays to render the results after the command's end.
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : kEndingSignals) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // nohup
  }
  Message message{Message::NotStarted, ECHILD};
  receive(message);
  if (message.kind != Message::NotStarted) return;
  waitpid(keeper_, nullptr, 0);
  throw Error(fmt::format("cannot run '{}': {}", words[0], std::strerror(message.value)));
}

Command::~Command() {
  send_order(LeaveAll);
  while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(keeper_socket);
}

int Command::wait() {
  Message message{};
  if (receive(message) && message.kind == Message::Ended) {
    others_ = message.others;
    return message.value;
  }
  return SIGKILL;  // somebody has killed the keeper, and so the command
}

std::vector<pid_t> Command::others() const {
  return others_ ? descendants_of(keeper_) : std::vector<pid_t>();
}

void Command::signal(int number) const {
  told = 1;
  send_order(static_cast<unsigned char>(number));
  kill(keeper_, SIGCONT);  // should somebody have stopped it
}

bool Command::told_to_end() const { return told != 0; }

void Command::end() const {
  send_order(EndAll);
  Message message{};
  while (receive(message) && message.kind != Message::AllEnded) {
  }
}

}  // namespace duet::cli
