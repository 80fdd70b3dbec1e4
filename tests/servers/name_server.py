"""A name server of our own: one zone, written as in a zone file, over UDP on this machine."""

from __future__ import annotations

import contextlib
import socketserver
import threading
from collections.abc import Iterator

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.resolver
import dns.zone

from tests.servers.process import HOST

SOA = "@ 60 IN SOA ns admin 1 60 60 60 60\n@ 60 IN NS ns\nns 60 IN A 127.0.0.1\n"


class NameServer:
    """``records`` stand below ``origin``. ``mood``: "well"; "broken" (SERVFAIL); "silent"."""

    def __init__(self, records: str, origin: str = "example.") -> None:
        self.zone = dns.zone.from_text(SOA + records, origin=origin, relativize=False)
        self.mood = "well"
        self.asked: list[str] = []
        self.port = 0

    @contextlib.contextmanager
    def started(self) -> Iterator[NameServer]:
        server = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                data, back = self.request
                if (answer := server.answer(data)) is not None:
                    back.sendto(answer, self.client_address)

        with socketserver.ThreadingUDPServer((HOST, 0), Handler) as listening:
            self.port = listening.server_address[1]
            thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
            thread.start()
            try:
                yield self
            finally:
                listening.shutdown()
                thread.join()

    def answer(self, data: bytes) -> bytes | None:
        query = dns.message.from_wire(data)
        question = query.question[0]
        self.asked.append(f"{question.name} {dns.rdatatype.to_text(question.rdtype)}")
        if self.mood == "silent":
            return None
        response = dns.message.make_response(query)
        response.flags |= dns.flags.AA
        if self.mood == "broken":
            response.set_rcode(dns.rcode.SERVFAIL)
            return response.to_wire()
        assert self.zone.origin is not None
        node = self.zone.get_node(question.name) if question.name.is_subdomain(self.zone.origin) else None
        found = node.get_rdataset(question.rdclass, question.rdtype) if node else None
        if node is None:
            response.set_rcode(dns.rcode.NXDOMAIN)
        elif found is not None:
            response.find_rrset(response.answer, question.name, question.rdclass, question.rdtype, create=True).update(
                found
            )
        return response.to_wire()

    def resolver(self) -> dns.resolver.Resolver:
        made = dns.resolver.Resolver(configure=False)
        made.nameservers, made.port, made.lifetime, made.timeout = [HOST], self.port, 0.6, 0.3
        return made
