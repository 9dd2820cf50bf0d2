import gc, torch
from torch.profiler import profile, schedule, ProfilerActivity

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(16, 16)
        self.scale = 1
    def forward(self, x):
        return torch.relu(self.a(x)) * self.scale

net = Net()
step = torch.compile(net)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=15, repeat=1),
             on_trace_ready=lambda p: p.export_chrome_trace("trace.json")) as prof:
    for i in range(16):
        if i in (6, 9):
            net.scale += 1
        if i == 11:
            gc.collect()
        x = torch.randn(8, 16)
        loss = step(x).sum()
        loss.backward()
        opt.step()
        opt.zero_grad()
        prof.step()

