// The state of the page stands in its address: #place?key=value&key=value

const address = {
  /** Place and state as the address has them; null where it is no address of this page. */
  read() {
    const [place, query = ""] = location.hash.slice(1).split("?");
    try {
      return { place: place.split("/").map(decodeURIComponent), state: new URLSearchParams(query) };
    } catch {
      return { place: [""], state: new URLSearchParams() };
    }
  },

  /** Puts one key into the address, or takes it out, without a step in the history. */
  set(key, value) {
    const { place, state } = this.read();
    if (value) state.set(key, value);
    else state.delete(key);
    this.replace(place, state);
  },

  replace(place, state) {
    const query = state.toString();
    history.replaceState(null, "", `#${this.of(place)}${query && `?${query}`}`);
  },

  of(place) {
    return place.map(encodeURIComponent).join("/");
  },
};
