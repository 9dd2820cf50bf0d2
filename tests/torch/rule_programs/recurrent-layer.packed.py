# for skipped-function: pass
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.LSTM(4, 4, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x * 2, lengths.cpu(), batch_first=True, enforce_sorted=False)
        h, _ = self.layer(packed)
        h, _ = pad_packed_sequence(h, batch_first=True)
        return (h + 1).detach()


def run(compile):
    return [compile(Tagger())(torch.ones(2, 3, 4), torch.tensor([3, 2]))]


# action 1, skipped-function 5


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.LSTM(4, 4, batch_first=True)

    @torch.compiler.disable
    def run_packed(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.layer(packed)[0], batch_first=True)[0]

    def forward(self, x, lengths):
        return (self.run_packed(x * 2, lengths) + 1).detach()
