// dashti2017 Figure 4, cfd: a gas flows through a mesh of cells with four neighbours each, Euler's equations by finite volumes. A step takes a
// copy of the state, a kernel for the step's length, and three times one that adds up what crosses each cell's sides and one that changes the
// state. Arrays are by quantity, so neighbours read neighbours; the state of a cell's four neighbours is where the mesh has it.
// `cfd --cells 6144 --steps 2`. `--cpus 4` (Figure 7): the GPU has the first half of the cells, the cores the other, at the same time, and they
// bring each other the state after each change of it; with managed memory in turn.
#include "application.h"
#include "cores.h"

namespace {

const int kThreads = 192, kSides = 4, kQuantities = 5;  // density, momentum in x, y and z, energy
const int kWall = -1, kFar = -2;                        // beyond a side
const float kGamma = 1.4f, kMach = 1.2f, kSmoothing = 0.2f;

struct Vector {
  float x, y, z;
};
// Of a cell, and what it sends through a side in each direction.
struct Gas {
  float density, energy, pressure, speed, sound;
  Vector momentum;
  Vector momentum_x, momentum_y, momentum_z, flow;
};
__constant__ float far_away[kQuantities];

__host__ __device__ Gas gas_of(float density, Vector momentum, float energy) {
  Gas gas;
  gas.density = density;
  gas.momentum = momentum;
  gas.energy = energy;
  const Vector v = {momentum.x / density, momentum.y / density, momentum.z / density};
  const float square = v.x * v.x + v.y * v.y + v.z * v.z;
  gas.speed = sqrtf(square);
  gas.pressure = (kGamma - 1) * (energy - 0.5f * density * square);
  gas.sound = sqrtf(kGamma * gas.pressure / density);
  gas.momentum_x = {v.x * momentum.x + gas.pressure, v.x * momentum.y, v.x * momentum.z};
  gas.momentum_y = {gas.momentum_x.y, v.y * momentum.y + gas.pressure, v.y * momentum.z};
  gas.momentum_z = {gas.momentum_x.z, gas.momentum_y.z, v.z * momentum.z + gas.pressure};
  const float all = energy + gas.pressure;
  gas.flow = {v.x * all, v.y * all, v.z * all};
  return gas;
}

__host__ __device__ Gas gas_at(const float* state, int cells, int i) {
  return gas_of(state[i], {state[i + cells], state[i + 2 * cells], state[i + 3 * cells]}, state[i + 4 * cells]);
}

// What a side of this direction lets through between the two, added to the fluxes of `own`.
__host__ __device__ void add_side(float* flux, float side, float momentum, float other_momentum, const Vector& of_own, const Vector& of_other,
                                  float flow, float other_flow) {
  const float factor = 0.5f * side;
  flux[0] += factor * (other_momentum + momentum);
  flux[1] += factor * (of_other.x + of_own.x);
  flux[2] += factor * (of_other.y + of_own.y);
  flux[3] += factor * (of_other.z + of_own.z);
  flux[4] += factor * (other_flow + flow);
}

__host__ __device__ void add_neighbour(float* flux, const Gas& own, const Gas& other, Vector side) {
  add_side(flux, side.x, own.momentum.x, other.momentum.x, own.momentum_x, other.momentum_x, own.flow.x, other.flow.x);
  add_side(flux, side.y, own.momentum.y, other.momentum.y, own.momentum_y, other.momentum_y, own.flow.y, other.flow.y);
  add_side(flux, side.z, own.momentum.z, other.momentum.z, own.momentum_z, other.momentum_z, own.flow.z, other.flow.z);
}

__host__ __device__ float step_of(const float* state, float area, int cells, int i) {
  const Gas gas = gas_at(state, cells, i);
  return 0.5f / (sqrtf(area) * (gas.speed + gas.sound));
}

__host__ __device__ void fluxes_of(const int* neighbours, const float* sides, const float* state, float* fluxes, const float* far, int cells,
                                   int i) {
  const Gas own = gas_at(state, cells, i);
  float flux[kQuantities] = {0, 0, 0, 0, 0};
#pragma unroll
  for (int j = 0; j < kSides; j++) {
    const int neighbour = neighbours[i + j * cells];
    const Vector side = {sides[i + j * cells], sides[i + (j + kSides) * cells], sides[i + (j + 2 * kSides) * cells]};
    const float length = sqrtf(side.x * side.x + side.y * side.y + side.z * side.z);
    if (neighbour >= 0) {
      const Gas other = gas_at(state, cells, neighbour);
      const float viscosity = -length * kSmoothing * 0.5f * (own.speed + other.speed + own.sound + other.sound);
      flux[0] += viscosity * (own.density - other.density);
      flux[1] += viscosity * (own.momentum.x - other.momentum.x);
      flux[2] += viscosity * (own.momentum.y - other.momentum.y);
      flux[3] += viscosity * (own.momentum.z - other.momentum.z);
      flux[4] += viscosity * (own.energy - other.energy);
      add_neighbour(flux, own, other, side);
    } else if (neighbour == kWall) {
      flux[1] += side.x * own.pressure;
      flux[2] += side.y * own.pressure;
      flux[3] += side.z * own.pressure;
    } else {
      add_neighbour(flux, own, gas_of(far[0], {far[1], far[2], far[3]}, far[4]), side);
    }
  }
  for (int j = 0; j < kQuantities; j++) fluxes[i + j * cells] = flux[j];
}

}  // namespace

extern "C" __global__ void initialize(float* state, int cells) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < kQuantities; i++) state[own + i * cells] = far_away[i];
}

extern "C" __global__ void step_lengths(const float* state, const float* areas, float* steps, int cells) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  steps[own] = step_of(state, areas[own], cells, own);
}

extern "C" __global__ void sum_fluxes(const int* neighbours, const float* sides, const float* state, float* fluxes, int cells) {
  fluxes_of(neighbours, sides, state, fluxes, far_away, cells, blockIdx.x * blockDim.x + threadIdx.x);
}

extern "C" __global__ void change(const float* before, const float* steps, const float* fluxes, float* state, int cells, int rest) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  const float factor = steps[own] / static_cast<float>(rest);
  for (int i = 0; i < kQuantities; i++) state[own + i * cells] = before[own + i * cells] + factor * fluxes[own + i * cells];
}

namespace {

const int kColumns = 64, kParts = 3;

// A mesh of kColumns columns: below a wall, elsewhere far away. Rows are a little turned against each other, so that no side is parallel to an
// axis, and the four sides of a cell add up to nothing.
int neighbour_of(int cells, int i, int side) {
  const int column = i % kColumns;
  if (side == 0) return column == 0 ? kFar : i - 1;
  if (side == 1) return column == kColumns - 1 ? kFar : i + 1;
  if (side == 2) return i < kColumns ? kWall : i - kColumns;
  return i + kColumns >= cells ? kFar : i + kColumns;
}
// Towards the inside.
Vector side_of(int side) {
  const Vector across = {-0.02f, 0.002f, 0.001f}, along = {0.001f, -0.02f, 0.002f};
  const Vector& one = side < 2 ? across : along;
  return side % 2 == 1 ? one : Vector{-one.x, -one.y, -one.z};
}

std::vector<float> state_far_away() {
  const float density = 1.4f, pressure = 1, speed = kMach * sqrtf(kGamma * pressure / density), turned = 0.2f;
  const Vector v = {speed * cosf(turned), speed * sinf(turned), 0};
  return {density, density * v.x, density * v.y, 0, density * 0.5f * speed * speed + pressure / (kGamma - 1)};
}

std::vector<float> state_on_cpu(int cells, int steps, float area) {
  const std::vector<float> far = state_far_away();
  std::vector<float> state(size_t(cells) * kQuantities), before, fluxes(state.size()), lengths(cells), sides(3 * kSides * cells);
  std::vector<int> neighbours(kSides * cells);
  for (int i = 0; i < cells; i++) {
    for (int j = 0; j < kQuantities; j++) state[i + j * cells] = far[j];
    for (int j = 0; j < kSides; j++) {
      const Vector side = side_of(j);
      neighbours[i + j * cells] = neighbour_of(cells, i, j);
      sides[i + j * cells] = side.x;
      sides[i + (j + kSides) * cells] = side.y;
      sides[i + (j + 2 * kSides) * cells] = side.z;
    }
  }
  for (int step = 0; step < steps; step++) {
    before = state;
    for (int i = 0; i < cells; i++) lengths[i] = step_of(state.data(), area, cells, i);
    for (int part = 0; part < kParts; part++) {
      for (int i = 0; i < cells; i++) fluxes_of(neighbours.data(), sides.data(), state.data(), fluxes.data(), far.data(), cells, i);
      for (int i = 0; i < cells; i++)
        for (int j = 0; j < kQuantities; j++)
          state[i + j * cells] = before[i + j * cells] + lengths[i] / static_cast<float>(kParts + 1 - part) * fluxes[i + j * cells];
    }
  }
  return state;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("cfd", "[--cells N] [--steps N] [--cpus N] [--time all|offload], N cells a multiple of 192", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int cells = static_cast<int>(arguments.number("cells", 768, kThreads, 1u << 20)) / kThreads * kThreads;
  const int steps = static_cast<int>(arguments.number("steps", 1, 1, 10000));
  const auto cpus = static_cast<unsigned>(arguments.number("cpus", 0, 0, 64));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  const float area = 4e-4f;
  dashti2017::Array<float> areas(method, cells), sides(method, size_t(3) * kSides * cells), state(method, size_t(kQuantities) * cells),
      before(method, state.size()), fluxes(method, state.size()), lengths(method, cells);
  dashti2017::Array<int> neighbours(method, size_t(kSides) * cells);
  std::vector<float> result(state.size());
  const std::vector<float> far = state_far_away();
  for (const auto* array : {&state, &before, &fluxes, &lengths}) array->to_device();
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  for (int i = 0; i < cells; i++) {
    areas[i] = area;
    for (int j = 0; j < kSides; j++) {
      const Vector side = side_of(j);
      neighbours[i + j * cells] = neighbour_of(cells, i, j);
      sides[i + j * cells] = side.x;
      sides[i + (j + kSides) * cells] = side.y;
      sides[i + (j + 2 * kSides) * cells] = side.z;
    }
  }
  timed.offload();
  CHECK_CUDA(cudaMemcpyToSymbol(far_away, far.data(), far.size() * sizeof(float)));
  areas.to_device();
  neighbours.to_device();
  sides.to_device();
  const int on_gpu = cpus == 0 ? cells : cells / 2 / kThreads * kThreads, blocks = on_gpu / kThreads;
  const bool in_turn = method == dashti2017::Method::kManaged, halves = cpus > 0;
  dashti2017::Cores cores(cpus);
  // A kernel on the GPU's cells, and the same on the CPU's; then both are done.
  const auto both = [&](auto launch, auto body) {
    launch();
    CHECK_LAUNCH("of cfd");
    if (!halves) return;
    if (in_turn) CHECK_CUDA(cudaDeviceSynchronize());
    cores.loop(on_gpu, cells, body);
    CHECK_CUDA(cudaDeviceSynchronize());
  };
  // Each side's half of the state to the other.
  const auto exchange = [&] {
    const size_t row = cells * sizeof(float), half = on_gpu * sizeof(float);
    if (halves && method == dashti2017::Method::kDevice) {
      CHECK_CUDA(cudaMemcpy2D(&state[0], row, state.device(), row, half, kQuantities, cudaMemcpyDeviceToHost));
      CHECK_CUDA(cudaMemcpy2D(state.device() + on_gpu, row, &state[on_gpu], row, row - half, kQuantities, cudaMemcpyHostToDevice));
    }
    if (halves) state.give_up(), state.take_back();
  };
  for (const auto* array : {&state, &before, &fluxes}) {
    initialize<<<cells / kThreads, kThreads>>>(array->device(), cells);
    CHECK_LAUNCH("initialize");
  }
  if (halves) state.to_host();
  for (int step = 0; step < steps; step++) {
    CHECK_CUDA(cudaMemcpy2D(before.device(), cells * sizeof(float), state.device(), cells * sizeof(float), on_gpu * sizeof(float), kQuantities,
                            cudaMemcpyDeviceToDevice));
    both([&] { step_lengths<<<blocks, kThreads>>>(state.device(), areas.device(), lengths.device(), cells); },
         [&](int i) {
           for (int j = 0; j < kQuantities; j++) before[i + j * cells] = state[i + j * cells];
           lengths[i] = step_of(&state[0], areas[i], cells, i);
         });
    for (int part = 0; part < kParts; part++) {
      both([&] { sum_fluxes<<<blocks, kThreads>>>(neighbours.device(), sides.device(), state.device(), fluxes.device(), cells); },
           [&](int i) { fluxes_of(&neighbours[0], &sides[0], &state[0], &fluxes[0], far.data(), cells, i); });
      both([&] { change<<<blocks, kThreads>>>(before.device(), lengths.device(), fluxes.device(), state.device(), cells, kParts + 1 - part); },
           [&](int i) {
             const float factor = lengths[i] / static_cast<float>(kParts + 1 - part);
             for (int j = 0; j < kQuantities; j++) state[i + j * cells] = before[i + j * cells] + factor * fluxes[i + j * cells];
           });
      exchange();
    }
  }
  if (!halves) state.to_host();
  timed.offloaded();
  for (size_t i = 0; i < result.size(); i++) result[i] = state[i];
  timed.results();

  const std::vector<float> expected = state_on_cpu(cells, steps, area);
  for (size_t i = 0; i < result.size(); i++)
    if (!dashti2017::close_to(result[i], expected[i])) return dashti2017::wrong("cfd", "value", i, result[i], expected[i]);
  printf("PASS cfd method=%s cells=%d steps=%d\n", dashti2017::name_of(method), cells, steps);
  return 0;
}
