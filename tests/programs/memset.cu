// cudaMemset and cudaMemsetAsync: the value is a byte, ranges may start and end anywhere, the rest stays;
// copies from device to device and with cudaMemcpyDefault.
#include "expect.h"

int main() {
  const int n = 1000;
  expect::Array<unsigned char> data(n, 0x11), copy(n, 0x22);
  CHECK(cudaMemset(data.device() + 3, 0x1ab, 501));
  CHECK(cudaMemsetAsync(data.device() + 777, 0, 100, nullptr));
  CHECK(cudaMemset(data.device() + 5, 0x77, 0));
  data.fetch();
  for (int i = 0; i < n; i++) {
    int expected = i >= 3 && i < 504 ? 0xab : i >= 777 && i < 877 ? 0 : 0x11;
    expect::equal("data", i, static_cast<int>(data.host[i]), expected);
  }
  CHECK(cudaMemcpy(copy.device() + 1, data.device() + 2, 900, cudaMemcpyDeviceToDevice));
  std::vector<unsigned char> back(n);
  CHECK(cudaMemcpy(back.data(), copy.device(), n, cudaMemcpyDefault));
  for (int i = 0; i < n; i++)
    expect::equal("copy", i, back[i],
                  i >= 1 && i < 901 ? data.host[i + 1] : static_cast<unsigned char>(0x22));
  return expect::pass("memset");
}
