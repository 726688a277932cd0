/** Whether what the chosen vehicle does stays as it is when the rest is planned again. */

import type { Instance } from "../model/instance";
import { canLift, lockedStops } from "../model/locks";
import { byId, setText } from "./elements";

export class VehicleLock {
  private vehicle = -1;
  private readonly field = byId("own-lock");
  private readonly box = byId<HTMLInputElement>("lock-own");

  constructor(change: (vehicle: number, locked: boolean) => void) {
    this.box.addEventListener("change", () => change(this.vehicle, this.box.checked));
  }

  show(instance: Instance | null, vehicle: number): void {
    this.vehicle = vehicle;
    this.field.hidden = !instance || vehicle < 0;
    if (!instance || vehicle < 0) return;
    const locked = lockedStops(instance, vehicle) > 0;
    const own = !locked || canLift(instance, vehicle);
    this.box.checked = locked;
    this.box.disabled = !own;
    const words = "stays as it is; more may come after it";
    setText(byId("lock-own-words"), `What ${instance.vehicleNames[vehicle]} does now ${words}${own ? "" : ", as the file says"}`);
  }
}
