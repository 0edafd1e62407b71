package join

import (
	"encoding/json"
	"regexp"
	"testing"
)

func requestOf(t *testing.T, code Code, edge Keys, before *Keys) []byte {
	t.Helper()
	request, err := Ask(Request{Name: "gpu1"}, code.Keys(), edge, before)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestARequestIsWhoseItSaysItIs(t *testing.T) {
	hub, edge := NewKeys(), NewKeys()
	code := NewCode("a:1", Pin(hub.Public().Signer))
	request := requestOf(t, code, edge, nil)
	asked, err := ReadRequest(request, code.Keys().Public())
	if err != nil || asked.Name != "gpu1" || asked.Edge.ID() != edge.Public().ID() {
		t.Fatalf("%+v, %v", asked, err)
	}
	other := NewCode("a:1", Pin(hub.Public().Signer))
	if _, err := ReadRequest(request, other.Keys().Public()); err == nil {
		t.Error("it was taken under another invite")
	}
	for i := range request {
		changed := append([]byte{}, request...)
		changed[i] ^= 1
		if got, err := ReadRequest(changed, code.Keys().Public()); err == nil && (got.Name != asked.Name || got.Edge.ID() != asked.Edge.ID()) {
			t.Fatalf("byte %d changed: taken as %+v", i, got)
		}
	}
}

// TestNobodyJoinsWithTheKeyOfAnother: a request must be signed with the edge's key that it names.
func TestNobodyJoinsWithTheKeyOfAnother(t *testing.T) {
	hub, mine, victim := NewKeys(), NewKeys(), NewKeys()
	code := NewCode("a:1", Pin(hub.Public().Signer))
	invite := code.Keys()
	body, err := json.Marshal(Request{Invite: invite.Public().ID(), Name: "gpu1", Edge: victim.Public()})
	if err != nil {
		t.Fatal(err)
	}
	request, err := json.Marshal(signed{Body: body, Invite: sign(invite.Signer(), requestMark, body), Edge: sign(mine.Signer(), requestMark, body)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRequest(request, invite.Public()); err == nil {
		t.Error("taken")
	}
}

func TestKeysAreRenewedByWhoHasTheOldOnes(t *testing.T) {
	hub, before, stranger := NewKeys(), NewKeys(), NewKeys()
	code := NewCode("a:1", Pin(hub.Public().Signer))
	for _, c := range []struct {
		by   *Keys
		want bool
	}{{&before, true}, {&stranger, false}, {nil, false}} {
		asked, err := ReadRequest(requestOf(t, code, NewKeys(), c.by), code.Keys().Public())
		if err != nil {
			t.Fatal(err)
		}
		if got := asked.RenewedBy(before.Public()); got != c.want {
			t.Errorf("renewed by %v: %t", c.by, got)
		}
	}
}

// TestOnlyTheHubOfTheCodeAnswers: a reply of another hub, to another request, or with a changed byte is
// refused.
func TestOnlyTheHubOfTheCodeAnswers(t *testing.T) {
	hub, other, edge := NewKeys(), NewKeys(), NewKeys()
	pin := Pin(hub.Public().Signer)
	code := NewCode("a:1", pin)
	request, another := requestOf(t, code, edge, nil), requestOf(t, code, edge, nil)
	answer := func(by Keys, to []byte) []byte {
		data, err := Answer(Reply{Request: SumOf(to), Step: In, Name: "gpu1"}, by)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	if r, err := ReadReply(answer(hub, request), request, pin); err != nil || r.Step != In {
		t.Fatalf("%+v, %v", r, err)
	}
	for what, reply := range map[string][]byte{"another hub": answer(other, request), "another request": answer(hub, another), "nothing": nil} {
		if r, err := ReadReply(reply, request, pin); err == nil {
			t.Errorf("%s was believed: %+v", what, r)
		}
	}
}

// TestTheDigitsAreOfThisRequest: they depend on a number that the hub draws after it has the request.
func TestTheDigitsAreOfThisRequest(t *testing.T) {
	hub, edge := NewKeys(), NewKeys()
	code := NewCode("a:1", Pin(hub.Public().Signer))
	request := requestOf(t, code, edge, nil)
	asked, err := ReadRequest(request, code.Keys().Public())
	if err != nil {
		t.Fatal(err)
	}
	digits := Digits(asked.Sum(), []byte("drawn by the hub"))
	if !regexp.MustCompile(`^\d\d \d\d \d\d$`).MatchString(digits) {
		t.Errorf("the digits are %q", digits)
	}
	if digits != Digits(SumOf(request), []byte("drawn by the hub")) {
		t.Error("the two ends show other digits")
	}
	if digits == Digits(asked.Sum(), []byte("drawn once more")) || digits == Digits(SumOf(requestOf(t, code, edge, nil)), []byte("drawn by the hub")) {
		t.Error("they do not hang on the request and on what the hub draws")
	}
}

func FuzzReadRequest(f *testing.F) {
	hub, edge := NewKeys(), NewKeys()
	code := NewCode("a:1", Pin(hub.Public().Signer))
	request, err := Ask(Request{Name: "gpu1"}, code.Keys(), edge, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(request)
	f.Fuzz(func(t *testing.T, data []byte) {
		if asked, err := ReadRequest(data, code.Keys().Public()); err == nil && asked.Edge.ID() != edge.Public().ID() {
			t.Errorf("believed: %+v", asked)
		}
		_, _ = ReadReply(data, request, code.Hub)
		_ = SumOf(data)
	})
}
