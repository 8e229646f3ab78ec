"""A Slurm of one node, for a test: munged, slurmctld and slurmd of its own, configured in a folder, on ports of its own.

    with Cluster(folder) as cluster:      # NoSlurm: why it cannot be here
        subprocess.run(["sbatch", ...], env=cluster.environment)
"""
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

# Debian has the daemons where users without rights do not look.
PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
COMMANDS = ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol"]

CONFIGURATION = """
ClusterName=duet-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
MessageTimeout=3
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
"""


class NoSlurm(Exception):
    pass


# However this process ends, no daemon stays.
def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    def __init__(self, folder, cpus=2):
        for command in COMMANDS:
            if shutil.which(command, path=PATH) is None:
                raise NoSlurm(f"{command} is not installed (Debian: slurm-wlm)")
        self.folder = pathlib.Path(folder)
        self.environment = dict(os.environ, PATH=PATH, SLURM_CONF=str(self.folder / "slurm.conf"))
        self.processes = {}
        for name in ["munge", "state", "spool"]:
            (self.folder / name).mkdir(mode=0o755, parents=True)
        (self.folder / "munge/key").write_bytes(os.urandom(128))
        (self.folder / "munge/key").chmod(0o400)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, user=pwd.getpwuid(os.getuid()).pw_name, cpus=cpus,
            controller_port=free_port(), daemon_port=free_port()))

    def __enter__(self):
        try:
            munge = self.folder / "munge"
            self.start("munged", "--foreground", "--force", "--num-threads=2", f"--socket={munge}/socket", f"--key-file={munge}/key",
                       f"--log-file={munge}/log", f"--pid-file={munge}/pid", f"--seed-file={munge}/seed")
            self.wait_until("munged", (munge / "socket").exists)
            self.start_controller()
            self.start("slurmd", "-D", "-f", self.folder / "slurm.conf")
            self.wait_until("slurmd", lambda: self.command("sinfo", "-h", "-o", "%T").stdout.strip() == "idle")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if "slurmctld" in self.processes and self.processes["slurmctld"].poll() is None:
            self.command("scancel", "--user", pwd.getpwuid(os.getuid()).pw_name)
        for process in reversed(self.processes.values()):
            if process.poll() is None:
                process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, name, *arguments):
        with open(self.folder / f"{name}.out", "ab") as log:
            self.processes[name] = subprocess.Popen([shutil.which(name, path=PATH), *map(str, arguments)], env=self.environment,
                                                    stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                                                    preexec_fn=end_with_parent)

    def start_controller(self):
        self.start("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.asked = time.monotonic()
        self.wait_until("slurmctld", lambda: self.command("squeue", "-h").returncode == 0)

    def kill_controller(self):
        self.processes["slurmctld"].send_signal(signal.SIGKILL)
        self.processes["slurmctld"].wait()

    def resume(self):
        """What an administrator does after a controller's crash: one that has lost its last seconds gives a job's number
        again while the node still knows it, drains the node for that, and holds the job. It takes jobs for running that have
        ended in those seconds, and would ask the node for them after half an hour: asked again, it starts them anew.
        """
        if time.monotonic() - self.asked > 15:  # Slurm lets a job's start take 10
            self.command("scontrol", "reconfigure")
            self.asked = time.monotonic()
        if "drain" in self.command("sinfo", "-h", "-o", "%T").stdout:
            self.command("scontrol", "update", "nodename=ALL", "state=resume")
        for line in self.command("squeue", "-h", "--array", "--format=%i %r").stdout.splitlines():
            job, reason = line.split(maxsplit=1)
            if "held" in reason.lower():
                self.command("scontrol", "release", job)

    def command(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)

    def wait_until(self, name, is_so, seconds=40):
        end = time.monotonic() + seconds
        while not is_so():
            if self.processes[name].poll() is not None or time.monotonic() > end:
                log = "".join(path.read_text(errors="replace") for path in [self.folder / f"{name}.out", self.folder / f"{name}.log"]
                              if path.exists())
                raise NoSlurm(f"{name} does not start: {' | '.join(log.strip().splitlines()[-3:])}")
            time.sleep(0.2)

    def tasks(self):
        """Processes of `duet sweep` that Slurm has started here."""
        mine = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and b"\0sweep\0--task\0" in (entry / "cmdline").read_bytes() and \
                        str(self.folder).encode() in (entry / "environ").read_bytes():
                    mine.append(int(entry.name))
            except OSError:
                pass
        return mine
